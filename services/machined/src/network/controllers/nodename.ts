import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { nodenameFromHostname } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, machineConfigs, nodenames } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/** The node's name in Kubernetes. Source: Talos v1.14: k8s.NodenameController. */
export function createNodenameController(): Controller {
  return {
    name: 'k8s.NodenameController',
    inputs: [weak(machineConfigs, activeConfigId), weak(hostnameStatuses, hostnameStatuses.singleton)],
    outputs: [exclusive(nodenames)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const status = await pass.get(pointerTo(hostnameStatuses));
      // Kubernetes keeps the name that it knows, so a published name is not withdrawn when its input is
      // missing.
      if (configuration === undefined || !configuration.effective.isComplete || status === undefined) return;
      const { registerWithFQDN, skipRegistration } = configuration.effective.node;
      const { hostname, domainname } = status.spec;
      const full = registerWithFQDN && domainname !== '' ? `${hostname}.${domainname}` : hostname;
      await pass.put({
        ...pointerTo(nodenames),
        spec: {
          nodename: nodenameFromHostname(full),
          hostnameVersion: String(status.metadata.version),
          skipNodeRegistration: skipRegistration,
        },
      });
    },
  };
}
