import type { OutputStream } from './command-module.ts';

/** Writes, and waits while the buffer is full, so that unlimited output does not fill the memory. */
export async function writeSlowly(output: OutputStream, text: string | Uint8Array): Promise<void> {
  if (output.write(text) !== false || output.once === undefined) return;
  await new Promise<void>((resolve) => void output.once?.('drain', resolve));
}
