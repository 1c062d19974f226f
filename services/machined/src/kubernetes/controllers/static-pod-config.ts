import { type Controller, shared, weak } from '@nodewright/controllers';
import { ConfigReader, controlPlaneSettings } from '@nodewright/machine-config';
import { userPods } from '@nodewright/node-files';
import { machineConfigs, staticPods } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/** Publishes the static pods of the user. Source: Talos v1.14: k8s.StaticPodConfigController. */
export function createStaticPodConfigController(): Controller {
  return {
    name: 'k8s.StaticPodConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(staticPods)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const pods =
        configuration === undefined
          ? []
          : controlPlaneSettings(new ConfigReader(configuration.documents)).staticPods;
      await pass.replace(
        staticPods,
        userPods(pods).map(({ id, pod }) => ({ id, spec: { pod } })),
      );
    },
  };
}
