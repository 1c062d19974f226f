import {
  type Controller,
  destroyReady,
  exclusive,
  type ReconcilePass,
  strong,
  weak,
} from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo, type Resource } from '@nodewright/state';
import {
  type ExtensionServiceConfigSpec,
  extensionServiceConfigStatuses,
  extensionServiceConfigs,
  machineConfigs,
} from '@nodewright/state/kinds';
import { activeConfigId } from '../../base/controllers/configuration-of.ts';
import { configuredController } from '../../base/controllers/configured-controller.ts';
import { configFiles } from '../domain/config-files.ts';
import type { ConfigFileStore } from '../host/config-file-store.ts';

/** The documents ExtensionServiceConfig as resources. Source: Talos v1.14: COSI resources, runtime. */
export const extensionServiceConfigController = (): Controller =>
  configuredController({
    name: 'runtime.ExtensionServiceConfigController',
    inputs: [weak(machineConfigs, activeConfigId), destroyReady(extensionServiceConfigs)],
    output: extensionServiceConfigs,
    wanted: ({ extensionServices }) =>
      extensionServices.map(({ name, files, environment }) => ({ id: name, spec: { files, environment } })),
  });

const name = 'runtime.ExtensionServiceConfigFilesController';
const retryMs = 30_000;

/**
 * Writes the files of each configuration, and publishes which version has been written. A finalizer on each configuration makes
 * sure that its files are removed before it is destroyed.
 */
export function extensionServiceConfigFilesController(store: ConfigFileStore): Controller {
  return {
    name,
    inputs: [strong(extensionServiceConfigs), destroyReady(extensionServiceConfigStatuses)],
    outputs: [exclusive(extensionServiceConfigStatuses)],
    async reconcile(pass) {
      for (const resource of await pass.list(extensionServiceConfigs)) {
        const { id, phase } = resource.metadata;
        try {
          if (phase === 'tearingDown') await removeFiles(pass, store, id);
          else await writeFiles(pass, store, resource);
        } catch (error) {
          const { kind, message } = faultFrom(error);
          pass.log.error({ service: id, error: message }, 'cannot write the files of an extension service');
          // Another document is the only cure for one that is wrong.
          if (kind !== 'invalid-argument') pass.wakeAfter(retryMs);
        }
      }
    },
  };
}

async function writeFiles(
  pass: ReconcilePass,
  store: ConfigFileStore,
  { metadata, spec }: Resource<ExtensionServiceConfigSpec>,
): Promise<void> {
  const { id, version, finalizers } = metadata;
  const files = configFiles(id, spec);
  // Adding the finalizer changes the version, so the files are written in the pass that follows.
  if (!finalizers.includes(name)) return pass.hold(pointerTo(extensionServiceConfigs, id));
  await store.write(id, files);
  await pass.put({
    ...pointerTo(extensionServiceConfigStatuses, id),
    spec: { specVersion: String(version) },
  });
}

async function removeFiles(pass: ReconcilePass, store: ConfigFileStore, id: string): Promise<void> {
  const status = pointerTo(extensionServiceConfigStatuses, id);
  if (!(await pass.teardown(status))) return;
  await pass.destroy(status);
  await store.remove(id);
  await pass.release(pointerTo(extensionServiceConfigs, id));
}
