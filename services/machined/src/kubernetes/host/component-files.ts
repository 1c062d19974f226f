import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOwner } from '@nodewright/files';
import type { ComponentName } from '@nodewright/node-files';
import { prepareFolder } from '../../base/host/prepare-folder.ts';
import { writeIfChanged } from '../../base/host/write-if-changed.ts';
import type { ComponentFiles } from '../domain/component-files.ts';

/** The files of one kind for all components: secrets, or configuration. */
export interface ComponentFileStore {
  /** Writes the files that differ and removes those that are not among them. */
  write(files: ComponentFiles): Promise<void>;
}

const folderMode = 0o755;
const fileMode = 0o400;

export interface ComponentFilesInit {
  /** Mode of the folder that has one for each component. Default 0755. */
  readonly parentMode?: number;
  /** The users that own the files; by default the user of this process. */
  readonly owners?: Readonly<Record<ComponentName, number>>;
}

/** The owner of the files of a user that has a group of the same number. */
export const fileOwner = (id: number): FileOwner => ({ uid: id, gid: id });

/** Writes files to `folder/<component>`. Source: Talos v1.14: static pods, secrets files. */
export function createComponentFiles(
  folder: string,
  { parentMode = folderMode, owners }: ComponentFilesInit = {},
): ComponentFileStore {
  return {
    async write(files) {
      const components = Object.entries(files) as [ComponentName, Readonly<Record<string, string>>][];
      if (components.length > 0) await prepareFolder({ path: folder, mode: parentMode });
      for (const [component, texts] of components) {
        const path = join(folder, component);
        const owner = owners && { owner: fileOwner(owners[component]) };
        await prepareFolder({ path, mode: folderMode });
        for (const [name, text] of Object.entries(texts))
          await writeIfChanged(join(path, name), text, { mode: fileMode, ...owner });
        await removeOthers(path, Object.keys(texts));
      }
      await removeOthers(folder, Object.keys(files));
    },
  };
}

async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!kept.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
