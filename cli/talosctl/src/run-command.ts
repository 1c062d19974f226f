import { faultFrom } from '@nodewright/fault';
import { type Command, CommanderError } from 'commander';
import type { CliEnvironment, CommandModule } from './command-module.ts';
import type { CommandEntry } from './command-table.ts';
import { createProgram } from './create-program.ts';
import { ReportedFailure, UsageFault } from './failure.ts';
import { printableLines } from './render/printable.ts';
import { withCommandSpan } from './with-command-span.ts';

/** Parses the words of one command, runs its action inside a span of its own and gives the exit code. */
export async function runCommand(
  entry: CommandEntry,
  module: CommandModule,
  words: readonly string[],
  env: CliEnvironment,
): Promise<number> {
  const program = createProgram(entry, module, env);
  let called: Command | undefined;
  program.hook('preAction', (_program, action) => {
    called = action;
  });
  try {
    await withCommandSpan(entry.name, env, () =>
      program.parseAsync([entry.name, ...words], { from: 'user' }),
    );
    return 0;
  } catch (error) {
    return reportFailure(error, called, env);
  }
}

function reportFailure(error: unknown, called: Command | undefined, env: CliEnvironment): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
  if (error instanceof ReportedFailure) return 1;
  if (error instanceof UsageFault) {
    env.stderr.write(`error: ${error.message}\n\n${called?.helpInformation() ?? ''}`);
    return 1;
  }
  const fault = faultFrom(error);
  // Someone pressed Ctrl-C and has been told so.
  if (fault.kind === 'cancelled' && env.signal.aborted) return 1;
  env.stderr.write(`error: ${printableLines(fault.message)}\n`);
  return 1;
}
