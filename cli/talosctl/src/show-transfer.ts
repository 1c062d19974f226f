import type { CliEnvironment } from './command-module.ts';
import { Progress } from './progress.ts';
import { formatDecimalSize } from './render/size.ts';

/**
 * Passes on the bytes that a node sends. A terminal is told what has come, or that nothing has. Bytes that go to the
 * terminal themselves are their own progress, and a line between them would wipe some out.
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
