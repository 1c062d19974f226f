import { symlinkSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@nodewright/files';

/** Source: Talos v1.14: directories. */
const rootMode = 0o711;

/** Makes the folder that the mounts of a daemon are put on, with these links. It stays when the daemon has ended. */
export async function openDaemonRoot(
  path: string,
  links: Readonly<Record<string, string>>,
): Promise<AsyncDisposable> {
  await makeFolder(path);
  await chmod(path, rootMode);
  for (const [name, target] of Object.entries(links)) {
    await makeFolder(dirname(join(path, name)));
    await rm(join(path, name), { force: true });
    symlinkSync(target, join(path, name));
  }
  return { async [Symbol.asyncDispose]() {} };
}
