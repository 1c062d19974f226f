import { type Controller, exclusive, type ReconcilePass, strong } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { type Pointer, pointerTo, type Resource } from '@nodewright/state';
import { type EtcFileSpecSpec, etcFileSpecs, etcFileStatuses } from '@nodewright/state/kinds';
import type { EtcFiles } from '../host/etc-files.ts';

const name = 'files.EtcFileController';

/**
 * Writes the files below `/etc` that their specs describe, and publishes which version of a spec has been
 * written. A finalizer on each spec makes sure that its file is removed before the spec is destroyed.
 * Source: Talos v1.14: files.EtcFileController.
 */
export function etcFileController(files: EtcFiles): Controller {
  return {
    name,
    inputs: [strong(etcFileSpecs)],
    outputs: [exclusive(etcFileStatuses)],
    async reconcile(pass) {
      for (const resource of await pass.list(etcFileSpecs)) {
        const { id, phase } = resource.metadata;
        try {
          if (phase === 'tearingDown') await removeFile(pass, files, pointerTo(etcFileSpecs, id));
          else await writeFile(pass, files, resource);
        } catch (error) {
          // A failure does not stop the other files. The file is retried after 30 s, or at the next change of
          // any spec.
          pass.log.error(
            { file: id, error: faultFrom(error).message },
            'cannot write or remove a file below /etc',
          );
          pass.wakeAfter(retryMs);
        }
      }
    },
  };
}

const retryMs = 30_000;

async function writeFile(
  pass: ReconcilePass,
  files: EtcFiles,
  { metadata, spec }: Resource<EtcFileSpecSpec>,
): Promise<void> {
  const { id, version, finalizers } = metadata;
  // Adding the finalizer changes the version of the spec, so the file is written in the pass that follows.
  if (!finalizers.includes(name)) return pass.hold(pointerTo(etcFileSpecs, id));
  await files.write(id, spec.contents, spec.mode);
  await pass.put({ ...pointerTo(etcFileStatuses, id), spec: { specVersion: String(version) } });
}

async function removeFile(
  pass: ReconcilePass,
  files: EtcFiles,
  pointer: Pointer<EtcFileSpecSpec>,
): Promise<void> {
  await files.remove(pointer.id);
  const status = pointerTo(etcFileStatuses, pointer.id);
  if (!(await pass.teardown(status))) return;
  await pass.destroy(status);
  await pass.release(pointer);
}
