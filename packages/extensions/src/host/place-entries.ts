import { createWriteStream } from 'node:fs';
import { link, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '@nodewright/files';
import { type CheckedEntry, rootName } from '../domain/content-check.ts';
import { refused } from '../domain/refused.ts';

/** Writes checked entries of one extension. */
export interface Placer {
  begin(): Promise<void>;
  place(entry: CheckedEntry, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** @param folder that does not exist. The check made sure that no part of a path is a link, so nothing is written elsewhere. */
export function createPlacer(folder: string): Placer {
  const pathOf = (path: string) => join(folder, path.slice(rootName.length));
  const makeParents = async (path: string) => {
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (parent !== rootName) await makeFolder(pathOf(parent), 0o755);
  };
  return {
    begin: async () => void (await mkdir(folder, { mode: 0o755 })),
    async place({ path, kind, isProgram, sizeBytes, target }, content) {
      if (!path.startsWith(`${rootName}/`)) return;
      await makeParents(path);
      const to = pathOf(path);
      if (kind === 'folder') await makeFolder(to, 0o755);
      else if (kind === 'symbolic link') await symlink(target, to);
      else if (kind === 'hard link') await link(pathOf(target), to);
      else await writeFile(to, path, { sizeBytes, mode: isProgram ? 0o755 : 0o644 }, content);
    },
  };
}

async function writeFile(
  to: string,
  path: string,
  { sizeBytes, mode }: { readonly sizeBytes: number; readonly mode: number },
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  let written = 0;
  const limited = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      written += piece.length;
      if (written > sizeBytes) break;
      yield piece;
    }
  };
  await pipeline(limited, createWriteStream(to, { flags: 'wx', mode }));
  if (written !== sizeBytes) throw refused(`/${path} changes while it is read`);
}
