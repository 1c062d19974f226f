import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestName } from '../domain/content-check.ts';
import type { ExtensionEntry } from '../domain/extension-entry.ts';
import { extensionLimits, showBytes } from '../domain/extension-limits.ts';
import { refused } from '../domain/refused.ts';
import { squashfsEntries } from '../domain/squashfs-listing.ts';
import type { ExtensionSource, SourcedEntry, SquashfsTools } from './extension-source.ts';
import { folderSource, nothing } from './folder-source.ts';

const superblockBytes = 96;

/**
 * An extension as a squashfs. Its list of files is read first; only one that passed is unpacked, below `work`, and read from
 * there. Extended attributes are left out: those of overlayfs could hide files of the root.
 */
export function squashfsSource(path: string, work: string, { unsquashfs }: SquashfsTools): ExtensionSource {
  let unpacked: string | undefined;
  return {
    async *layers(needs) {
      if (needs === 'manifest') {
        await checkSuperblock(path);
        yield listed(listEntries());
        return;
      }
      unpacked ??= await mkdtemp(join(work, 'squashfs-'));
      const folder = join(unpacked, 'contents');
      await rm(folder, { recursive: true, force: true });
      run(['-no-progress', '-quiet', '-no-xattrs', '-dest', folder, path]);
      yield* folderSource(folder).layers(needs);
    },
    async [Symbol.asyncDispose]() {
      if (unpacked !== undefined) await rm(unpacked, { recursive: true, force: true });
    },
  };

  function run(args: readonly string[]): Buffer {
    try {
      return unsquashfs(args);
    } catch {
      throw refused('is no squashfs that can be unpacked');
    }
  }

  function listEntries(): ExtensionEntry[] {
    return squashfsEntries(run(['-no-progress', '-quiet', '-lln', path]).toString('utf8'));
  }

  async function* listed(entries: readonly ExtensionEntry[]): AsyncGenerator<SourcedEntry> {
    for (const entry of entries) {
      const isManifest = entry.name === manifestName && entry.kind === 'file';
      yield { entry, content: isManifest ? manifest() : nothing() };
    }
  }

  async function* manifest(): AsyncGenerator<Uint8Array> {
    yield run(['-no-progress', '-quiet', '-cat', path, manifestName]);
  }
}

/** The listing of a squashfs would be held in memory before anything of it is counted. Source: Linux, squashfs. */
async function checkSuperblock(path: string): Promise<void> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  if (size > extensionLimits.packedBytes)
    throw refused(`is larger than ${showBytes(extensionLimits.packedBytes)}`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(superblockBytes), 0, superblockBytes, 0);
  if (bytesRead < superblockBytes || buffer.toString('latin1', 0, 4) !== 'hsqs')
    throw refused('is no squashfs');
  if (buffer.readUInt32LE(4) > extensionLimits.entries + 1)
    throw refused(`it has more than ${extensionLimits.entries} files, folders and links`);
}
