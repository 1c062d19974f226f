import type { OutputStream } from './command-module.ts';

/** Writes, and waits while the reader has more than enough: for output without end, which must not pile up here. */
export async function writeSlowly(output: OutputStream, text: string | Uint8Array): Promise<void> {
  if (output.write(text) !== false || output.once === undefined) return;
  await new Promise<void>((resolve) => void output.once?.('drain', resolve));
}
