import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader, kubeletSettings } from '@nodewright/machine-config';
import { kubeletConfigFrom } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { kubeletConfigs, machineConfigs, staticPodServerStatuses } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

const server = pointerTo(staticPodServerStatuses);

/** Publishes the settings of the kubelet once static pods are served. Source: Talos v1.14: k8s.KubeletConfigController. */
export function createKubeletConfigController(): Controller {
  return {
    name: 'k8s.KubeletConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(staticPodServerStatuses, server.id)],
    outputs: [exclusive(kubeletConfigs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const settings = configuration && kubeletSettings(new ConfigReader(configuration.documents));
      if (configuration === undefined || settings === undefined) return pass.replace(kubeletConfigs, []);
      const url = (await pass.get(server))?.spec.url;
      if (url === undefined) return;
      const spec = kubeletConfigFrom(settings, configuration.effective, url);
      await pass.replace(kubeletConfigs, [{ id: kubeletConfigs.singleton, spec }]);
    },
  };
}
