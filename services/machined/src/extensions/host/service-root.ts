import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';

type MountCalls = Pick<NativeCalls, 'mount' | 'detachMount'>;

/** In memory, as all that a service writes to its own root. Source: Talos v1.14: extension services, runtime. */
const overlaysFolder = '/system/overlays';

/**
 * Makes the root of a service writable: an overlay on the folder of its extension. What it writes is forgotten when it ends.
 *
 * @param path of the folder, and of the overlay
 * @throws Fault `failed-precondition` when the extension has no root for its service, or the error of mount(2)
 */
export async function openServiceRoot(
  path: string,
  openCalls: () => Promise<MountCalls>,
  overlays: string = overlaysFolder,
): Promise<AsyncDisposable> {
  if (!existsSync(path)) throw new Fault('failed-precondition', `no extension has a folder ${path} for it`);
  const calls = await openCalls();
  const name = path.slice(1).replaceAll('/', '-');
  const [upper, workFolder] = [`${overlays}/${name}-diff`, `${overlays}/${name}-work`];
  const clear = async () => {
    for (const folder of [upper, workFolder]) await rm(folder, { recursive: true, force: true });
  };
  await clear();
  for (const folder of [upper, workFolder]) await makeFolder(folder, 0o755);
  calls.mount(
    cString('overlay'),
    cString(path),
    cString('overlay'),
    0,
    cString(`lowerdir=${path},upperdir=${upper},workdir=${workFolder}`),
  );
  return {
    async [Symbol.asyncDispose]() {
      calls.detachMount(cString(path));
      await clear();
    },
  };
}
