import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { TransferProgress } from './transfer-progress.ts';

/**
 * Yields the bytes that a node sends, and shows the received size and its rate on a terminal. It shows none if the bytes
 * themselves go to the terminal, because a progress line would overwrite some of them.
 */
export async function* showTransfer<Bytes extends Uint8Array>(
  env: Pick<CliEnvironment, 'stderr'>,
  node: string,
  pieces: AsyncIterable<{ readonly bytes: Bytes }>,
  target: { readonly isTTY?: boolean | undefined },
): AsyncGenerator<Bytes, void, undefined> {
  const received = new TransferProgress();
  using progress = new Progress(env.stderr, () =>
    received.bytes === 0 ? `waiting for ${node}` : `${received.text} from ${node}`,
  );
  for await (const { bytes } of pieces) {
    if (target.isTTY) progress[Symbol.dispose]();
    received.add(bytes.length);
    yield bytes;
  }
}
