import { buffer } from 'node:stream/consumers';
import { readTar } from '@nodewright/extensions/images';
import { pack } from 'tar-stream';
import type { Engine } from '../../engine/index.ts';

/**
 * Reads a small file of a container, whether it runs or not.
 *
 * @param mostBytes one byte more is read of a longer file
 * @returns undefined for one that is missing, is no file, or cannot be read
 */
export async function readNodeFile(
  engine: Pick<Engine, 'bytes'>,
  container: string,
  path: string,
  mostBytes: number,
): Promise<Buffer | undefined> {
  try {
    const archive = engine.bytes(['cp', `${container}:${path}`, '-'], AbortSignal.timeout(readLimitMs));
    for await (const { entry, content } of readTar(archive)) {
      if (entry.kind !== 'file') return undefined;
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of content) {
        pieces.push(piece);
        size += piece.length;
        if (size > mostBytes) break;
      }
      return Buffer.concat(pieces).subarray(0, mostBytes + 1);
    }
  } catch {
    // Missing, damaged, or the engine is away.
  }
  return undefined;
}

/** An engine that is busy answers late. */
const readLimitMs = 30_000;

/** Replaces a file in a folder of a container that exists there. @throws Fault of the engine */
export async function writeNodeFile(
  engine: Pick<Engine, 'run'>,
  container: string,
  folder: string,
  [name, content]: readonly [name: string, content: string],
): Promise<void> {
  const archive = pack();
  archive.entry({ name, mode: 0o600, uid: 0, gid: 0 }, content);
  archive.finalize();
  await engine.run(['cp', '-', `${container}:${folder}`], { input: await buffer(archive) });
}
