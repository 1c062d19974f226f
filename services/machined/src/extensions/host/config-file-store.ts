import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomically } from '@nodewright/files';
import type { ConfigFile } from '../domain/config-files.ts';

/** The files of the configurations of extension services, in a folder for each service. */
export interface ConfigFileStore {
  /** Replaces the files of a service. A file that stays is never missing meanwhile. */
  write(service: string, files: readonly ConfigFile[]): Promise<void>;
  /** Removes the files of a service. */
  remove(service: string): Promise<void>;
}

/** Only root may enter the folder, because the files may hold secrets. */
const folderMode = 0o700;
/** Containers may run their programs as other users. Source: Talos v1.14: ExtensionServiceConfig document. */
const fileMode = 0o644;

/** @param folder is created at the first use */
export function createConfigFileStore(folder: string): ConfigFileStore {
  return {
    async write(service, files) {
      const own = join(folder, service);
      await makeFolder(folder, folderMode);
      await makeFolder(own, 0o755);
      for (const { name, content } of files) {
        await writeFileAtomically(join(own, name), content, { mode: fileMode });
      }
      const names = new Set(files.map(({ name }) => name));
      for (const name of await readdir(own))
        if (!names.has(name)) await rm(join(own, name), { recursive: true, force: true });
    },
    remove: (service) => rm(join(folder, service), { recursive: true, force: true }),
  };
}
