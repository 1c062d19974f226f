import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryKind, ExtensionEntry } from '../domain/extension-entry.ts';
import { extensionLimits } from '../domain/extension-limits.ts';
import { refused } from '../domain/refused.ts';
import type { ExtensionSource, SourcedEntry } from './extension-source.ts';

/** An extension as a folder with its manifest and its root. Links of the folder are never followed. */
export function folderSource(folder: string): ExtensionSource {
  return {
    async *layers() {
      yield entriesBelow(folder, '', 1);
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function* entriesBelow(root: string, below: string, depth: number): AsyncGenerator<SourcedEntry> {
  if (depth > extensionLimits.depth)
    throw refused(`it has folders in more than ${extensionLimits.depth} levels`);
  // Names as bytes: one that is not UTF-8 must not pass for another.
  const names = await readdir(join(root, below), { encoding: 'buffer' });
  for (const name of names.map((bytes) => bytes.toString('utf8')).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = await lstat(join(root, path)).catch(() => undefined);
    if (stats === undefined) throw refused(`${JSON.stringify(path)} cannot be read`);
    const entry = await entryOf(join(root, path), path, stats);
    yield { entry, content: entry.kind === 'file' ? contentOf(join(root, path)) : nothing() };
    if (entry.kind === 'folder') yield* entriesBelow(root, path, depth + 1);
  }
}

/** Opened when it is read. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  yield* (await open(path, flags)).createReadStream() as AsyncIterable<Uint8Array>;
}

async function entryOf(path: string, name: string, stats: Stats): Promise<ExtensionEntry> {
  const kind = kindOf(stats);
  return {
    ...{ name, kind, mode: stats.mode & 0o7777, attributes: [] },
    sizeBytes: kind === 'file' ? stats.size : 0,
    target: kind === 'symbolic link' ? await readlink(path) : '',
  };
}

const kinds: readonly (readonly [keyof Stats & `is${string}`, EntryKind])[] = [
  ['isFile', 'file'],
  ['isDirectory', 'folder'],
  ['isSymbolicLink', 'symbolic link'],
  ['isCharacterDevice', 'character device'],
  ['isBlockDevice', 'block device'],
  ['isFIFO', 'named pipe'],
  ['isSocket', 'socket'],
];

const kindOf = (stats: Stats): EntryKind =>
  kinds.find(([is]) => stats[is]())?.[1] ?? 'entry of an unknown type';

export async function* nothing(): AsyncGenerator<Uint8Array> {}
