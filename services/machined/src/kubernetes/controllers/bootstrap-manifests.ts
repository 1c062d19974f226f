// The manifests of a control plane as resources. Source: Talos v1.14: bootstrap manifests.
import { type Controller, exclusive, shared, weak } from '@nodewright/controllers';
import { bootstrapManifests, bootstrapManifestsConfigFrom, extraManifestsFrom } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import {
  bootstrapManifestsConfigs,
  extraManifestsConfigs,
  kubernetesRootSecrets,
  machineConfigs,
  manifests,
} from '@nodewright/state/kinds';
import { activeConfigId } from '../../base/controllers/configuration-of.ts';
import { kubernetesConfigurationOf } from './kubernetes-configuration.ts';

/** Publishes the values of the manifests that every cluster gets. */
export function createBootstrapManifestsConfigController(): Controller {
  return {
    name: 'k8s.ControlPlaneBootstrapManifestsController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(bootstrapManifestsConfigs)],
    async reconcile(pass) {
      const configuration = await kubernetesConfigurationOf(pass);
      const spec =
        configuration && bootstrapManifestsConfigFrom(configuration.manifests, configuration.effective);
      await pass.replace(
        bootstrapManifestsConfigs,
        spec === undefined ? [] : [{ id: bootstrapManifestsConfigs.singleton, spec }],
      );
    },
  };
}

/** Publishes the manifests of the user, as they are in the configuration. */
export function createExtraManifestsConfigController(): Controller {
  return {
    name: 'k8s.ControlPlaneExtraManifestsController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(extraManifestsConfigs)],
    async reconcile(pass) {
      const configuration = await kubernetesConfigurationOf(pass);
      const spec = configuration && { extraManifests: extraManifestsFrom(configuration.manifests) };
      await pass.replace(
        extraManifestsConfigs,
        spec === undefined ? [] : [{ id: extraManifestsConfigs.singleton, spec }],
      );
    },
  };
}

/** Renders the manifests that every cluster gets. */
export function createManifestController(): Controller {
  return {
    name: 'k8s.ManifestController',
    inputs: [
      weak(bootstrapManifestsConfigs, bootstrapManifestsConfigs.singleton),
      weak(kubernetesRootSecrets, kubernetesRootSecrets.singleton),
    ],
    outputs: [shared(manifests)],
    async reconcile(pass) {
      const config = (await pass.get(pointerTo(bootstrapManifestsConfigs)))?.spec;
      const secrets = (await pass.get(pointerTo(kubernetesRootSecrets)))?.spec;
      const rendered =
        config === undefined || secrets === undefined ? [] : bootstrapManifests(config, secrets);
      await pass.replace(
        manifests,
        rendered.map(({ id, objects }) => ({ id, spec: objects.map((object) => ({ object })) })),
      );
    },
  };
}
