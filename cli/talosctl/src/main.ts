import { escapeEntry } from './output/escape-text.ts';
import { openProcessEnvironment } from './process-environment.ts';
import { plainError } from './render/plain-error.ts';
import { runCli } from './run-cli.ts';

/**
 * Resolves when everything has been handed to the system. Pipes take what they have room for and no more. A stream
 * that nothing was written to is left alone: that it cannot be written is then nobody's failure. One that has failed is
 * waited for, until whoever listens for that has heard of it.
 */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 && stream.errored === null) return;
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

async function main(): Promise<void> {
  // For this process alone: bin/talosctl set it.
  delete process.env.NODE_COMPILE_CACHE;
  // Should the event loop run dry while a command waits, that is a failure and not a success.
  process.exitCode = 1;
  let exitCode = 1;
  try {
    await using env = openProcessEnvironment();
    exitCode = await runCli(process.argv.slice(2), env);
  } catch (error) {
    process.stderr.write(
      `error: ${escapeEntry(plainError(error instanceof Error ? error.message : String(error)))}\n`,
    );
  }
  // A slow reader gets everything; nothing else that may still be open is waited for.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(exitCode);
}

void main();
