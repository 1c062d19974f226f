import { volumeIds } from '@nodewright/contract/volumes';
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  blockMountStatuses,
  etcdEncryptionConfigs,
  etcdRootSecrets,
  etcdSecrets,
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  kubernetesSecrets,
  secretStatuses,
} from '@nodewright/state/kinds';
import { secretFiles } from '../domain/secret-files.ts';
import { secretsVersion } from '../domain/secrets-version.ts';
import type { ComponentFileStore } from '../host/component-files.ts';

const kinds = [
  kubernetesRootSecrets,
  etcdRootSecrets,
  kubernetesSecrets,
  kubernetesDynamicCerts,
  etcdSecrets,
  etcdEncryptionConfigs,
] as const;
/** The API server writes its audit log there, into a folder that is made with its files. */
const logVolume = volumeIds.log;

/**
 * Writes the files with the secrets of the components and publishes their version. Source: Talos v1.14:
 * k8s.RenderSecretsStaticPodController.
 */
export function createRenderSecretsController(files: ComponentFileStore): Controller {
  return {
    name: 'k8s.RenderSecretsStaticPodController',
    inputs: [...kinds.map((kind) => weak(kind, kind.singleton)), weak(blockMountStatuses, logVolume)],
    outputs: [exclusive(secretStatuses)],
    async reconcile(pass) {
      const root = (await pass.get(pointerTo(kubernetesRootSecrets)))?.spec;
      if (root === undefined) {
        await pass.replace(secretStatuses, []);
        return files.write({});
      }
      const secrets = await pass.get(pointerTo(kubernetesSecrets));
      const etcdRoot = (await pass.get(pointerTo(etcdRootSecrets)))?.spec;
      const dynamic = (await pass.get(pointerTo(kubernetesDynamicCerts)))?.spec;
      const etcd = (await pass.get(pointerTo(etcdSecrets)))?.spec;
      const encryption = await pass.get(pointerTo(etcdEncryptionConfigs));
      if (secrets === undefined || dynamic === undefined || encryption === undefined) return;
      if (etcdRoot === undefined || etcd === undefined) return;
      if ((await pass.get(pointerTo(blockMountStatuses, logVolume))) === undefined) return;
      const wanted = secretFiles({
        ...{ root, etcdRoot, secrets: secrets.spec, dynamic, etcd },
        encryption: encryption.spec.configuration,
      });
      if (wanted === undefined) return;
      await files.write(wanted);
      const spec = { ready: true, version: secretsVersion(wanted) };
      await pass.replace(secretStatuses, [{ id: secretStatuses.singleton, spec }]);
    },
  };
}
