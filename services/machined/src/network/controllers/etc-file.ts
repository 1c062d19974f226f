import { type Controller, shared, weak } from '@nodewright/controllers';
import { hostsFile, resolvConfFile } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import {
  etcFileSpecs,
  hostDnsConfigs,
  hostnameStatuses,
  machineConfigs,
  nodeAddresses,
  resolverStatuses,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { addressOf } from '../../base/domain/prefix.ts';

const mode = 0o644;
const label = 'system_u:object_r:etc_t:s0';

/** The contents of `/etc/hosts` and `/etc/resolv.conf`. Source: Talos v1.14: network.EtcFileController. */
export function createEtcFileController(): Controller {
  return {
    name: 'network.EtcFileController',
    inputs: [
      weak(machineConfigs, activeConfigId),
      weak(hostnameStatuses, hostnameStatuses.singleton),
      weak(resolverStatuses, resolverStatuses.singleton),
      weak(nodeAddresses, 'default'),
      weak(hostDnsConfigs, hostDnsConfigs.singleton),
    ],
    outputs: [shared(etcFileSpecs)],
    async reconcile(pass) {
      const staticHosts = (await configurationOf(pass))?.effective.staticHosts ?? [];
      const name = (await pass.get(pointerTo(hostnameStatuses)))?.spec;
      const resolvers = (await pass.get(pointerTo(resolverStatuses)))?.spec;
      const [address] = (await pass.get(pointerTo(nodeAddresses, 'default')))?.spec.addresses ?? [];
      const hostDns = (await pass.get(pointerTo(hostDnsConfigs)))?.spec;
      const file = (id: string, contents: string) => ({ id, spec: { contents, mode, selinux_label: label } });
      const files = [];
      if (resolvers !== undefined && hostDns !== undefined) {
        const servers = hostDns.enabled
          ? hostDns.listenAddresses.slice(0, 1).map((listener) => listener.replace(/:53$/, ''))
          : resolvers.dnsServers;
        files.push(file('resolv.conf', resolvConfFile(servers, resolvers.searchDomains)));
      }
      if (name !== undefined && address !== undefined) {
        files.push(file('hosts', hostsFile({ name, address: addressOf(address), staticHosts })));
      }
      // If an input is missing for a moment, the file stays as it was.
      for (const { id, spec } of files) await pass.put({ ...pointerTo(etcFileSpecs, id), spec });
    },
  };
}
