import { type Controller, destroyReady, shared, weak } from '@nodewright/controllers';
import {
  type ContainerdSettings,
  containerdConfig,
  containerdPaths,
  registryFiles,
} from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { etcFileSpecs, registryConfigs } from '@nodewright/state/kinds';

/** Only root reads these files: some hold keys. */
const mode = 0o600;
const belowEtc = (path: string) => path.replace(/^\/etc\//, '');

/** The id of the file with the configuration of containerd. */
export const containerdConfigFile = belowEtc(containerdPaths.config);

/**
 * Writes the configuration of containerd as files below `/etc`. Source: Talos v1.14: COSI resources, EtcFileSpecs.
 *
 * @param settings those that do not come from resources
 */
export function criConfigController(settings: ContainerdSettings): Controller {
  return {
    name: 'files.CRIConfigController',
    // The file of a registry that is left out is removed once it is gone from the disk.
    inputs: [weak(registryConfigs, registryConfigs.singleton), destroyReady(etcFileSpecs)],
    outputs: [shared(etcFileSpecs)],
    async reconcile(pass) {
      // They are there as soon as there is a configuration.
      const registries = (await pass.get(pointerTo(registryConfigs)))?.spec;
      if (registries === undefined) return pass.replace(etcFileSpecs, []);
      const folder = containerdPaths.registries;
      const files = [
        { id: containerdConfigFile, contents: containerdConfig(settings) },
        ...registryFiles(registries, folder).map(({ path, contents }) => ({
          id: `${belowEtc(folder)}/${path}`,
          contents,
        })),
      ];
      await pass.replace(
        etcFileSpecs,
        files.map(({ id, contents }) => ({ id, spec: { contents, mode, selinux_label: '' } })),
      );
    },
  };
}
