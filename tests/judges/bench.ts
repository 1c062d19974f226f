// What judges share while they are asked: a folder, the image, and what is opened once for several of them.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Bench {
  readonly checkout: string;
  /** The folder of the image of machines. */
  readonly image: string;
  /** A new path for a file or a folder that is removed at the end. */
  newPath(name: string): string;
  /** What `open` returns; it is called once. Let go at the end in reverse order. */
  once<Value>(key: string, open: (scope: AsyncDisposableStack) => Promise<Value>): Promise<Value>;
}

const checkout = join(import.meta.dirname, '..', '..');

export async function openBench(): Promise<Bench & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'judges-'));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const opened = new Map<string, Promise<unknown>>();
  const scope = opening.move();
  let count = 0;
  return {
    checkout,
    image: join(checkout, '_out', 'image'),
    newPath(name) {
      count += 1;
      return join(folder, `${count}-${name}`);
    },
    once<Value>(key: string, start: (scope: AsyncDisposableStack) => Promise<Value>) {
      const value = opened.get(key) ?? start(scope);
      opened.set(key, value);
      return value as Promise<Value>;
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

/** A copy of a file with one bit of a byte flipped. */
export async function flippedCopy(bench: Bench, path: string, at: number): Promise<string> {
  const copy = bench.newPath('flipped');
  copyFileSync(path, copy);
  await using file = await open(copy, 'r+');
  const byte = Buffer.alloc(1);
  const { bytesRead } = await file.read(byte, 0, 1, at);
  if (bytesRead !== 1) throw new Error(`${path} has no byte ${at}`);
  byte.writeUInt8(byte.readUInt8(0) ^ 1);
  await file.write(byte, 0, 1, at);
  return copy;
}
