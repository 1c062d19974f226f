import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The amount of data to copy. */
export interface TreeSizes {
  readonly files: number;
  readonly sparseBytes: number;
}

const filesInFolder = 100;
const maxFileBytes = 4096;
const modes = [0o644, 0o600, 0o755, 0o4711, 0o444];
const modified = 1_700_000_000;

/** The same bytes in each run. Source: xorshift32 of Marsaglia. */
function* numbers(seed: number): Generator<number, never, undefined> {
  let state = seed;
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

/**
 * Small files of 0 to 4 KiB, half of them random data that does not compress; various modes, one link per
 * folder.
 */
export function makeSmallFiles(folder: string, { files }: TreeSizes): void {
  const random = numbers(1);
  const next = (below: number) => random.next().value % below;
  for (let index = 0; index < files; index += 1) {
    const parent = join(folder, `folder-${Math.floor(index / filesInFolder)}`);
    if (index % filesInFolder === 0) {
      mkdirSync(parent, { recursive: true });
      symlinkSync('file-0', join(parent, 'link'));
    }
    const path = join(parent, `file-${index % filesInFolder}`);
    const size = next(maxFileBytes);
    const noise = () => Uint32Array.from({ length: Math.ceil(size / 4) }, () => random.next().value);
    const content =
      index % 2 === 0 ? Buffer.from(noise().buffer, 0, size) : Buffer.alloc(size, `key-${index}: value\n`);
    writeFileSync(path, content);
    chmodSync(path, modes[index % modes.length] ?? 0o644);
    utimesSync(path, modified, modified);
  }
}

/** One sparse file with a word here and there. */
export function makeSparseFile(folder: string, { sparseBytes }: TreeSizes): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'sparse');
  writeFileSync(path, '');
  truncateSync(path, sparseBytes);
  const descriptor = openSync(path, 'r+');
  for (let at = 0; at < sparseBytes; at += sparseBytes / 8) writeSync(descriptor, `at ${at}`, at);
  closeSync(descriptor);
  utimesSync(path, modified, modified);
  return path;
}
