import type { CliEnvironment } from './command-module.ts';
import { Progress } from './progress.ts';
import { formatDecimalSize } from './render/size.ts';

/**
 * Yields the bytes that a node sends, and shows the received size on a terminal. It shows no size if the bytes
 * themselves go to the terminal, because a progress line would overwrite some of them.
 */
export async function* showTransfer<Bytes extends Uint8Array>(
  env: Pick<CliEnvironment, 'stderr'>,
  node: string,
  pieces: AsyncIterable<{ readonly bytes: Bytes }>,
  target: { readonly isTTY?: boolean | undefined },
): AsyncGenerator<Bytes, void, undefined> {
  let received = 0n;
  using progress = new Progress(env.stderr, () =>
    received === 0n ? `waiting for ${node}` : `${formatDecimalSize(received)} from ${node}`,
  );
  for await (const { bytes } of pieces) {
    if (target.isTTY) progress[Symbol.dispose]();
    received += BigInt(bytes.length);
    yield bytes;
  }
}
