import { type Controller, exclusive, type ReconcilePass, strong } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { type Pointer, pointerTo, type Resource } from '@nodewright/state';
import { type EtcFileSpecSpec, etcFileSpecs, etcFileStatuses } from '@nodewright/state/kinds';
import type { EtcFiles } from '../host/etc-files.ts';

const name = 'files.EtcFileController';

/**
 * Writes what should be below `/etc`, and says which version of it is written. It holds what it has written, so that
 * the file is removed before its spec is. Source: Talos v1.14: files.EtcFileController.
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
          // The others have their turn all the same; this one has another with the next change of any of them.
          pass.log.error({ file: id, error: faultFrom(error).message }, 'cannot keep a file below /etc');
          pass.wakeAfter(tryAgainMs);
        }
      }
    },
  };
}

const tryAgainMs = 30_000;

async function writeFile(
  pass: ReconcilePass,
  files: EtcFiles,
  { metadata, spec }: Resource<EtcFileSpecSpec>,
): Promise<void> {
  const { id, version, finalizers } = metadata;
  // To hold it changes it: the pass which follows knows it by the version that it has then.
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
