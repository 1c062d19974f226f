import { openProcessEnvironment } from './process-environment.ts';
import { runCli } from './run-cli.ts';

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
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  // Not a wait for whatever is still open: the command has ended, and standard output is written synchronously.
  process.exit(exitCode);
}

void main();
