import { escapeEntry } from './output/escape-text.ts';
import { openProcessEnvironment } from './program/process-environment.ts';
import { runCli } from './program/run-cli.ts';
import { plainError } from './render/plain-error.ts';

/**
 * Resolves when all output has been passed to the kernel, which may take time for a full pipe. An unused stream is
 * skipped, so that it does not matter if it cannot be written. For a failed stream, it waits until the listener of the
 * event `error` has run.
 */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 && stream.errored === null) return;
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

async function main(): Promise<void> {
  // The exit code when the event loop becomes empty while a command still waits, which is a failure.
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
  // Wait until all output is written, even to a slow reader, but for no other open handle.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(exitCode);
}

void main();
