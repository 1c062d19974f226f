import { Fault, faultFrom } from '@nodewright/fault';
import { type Command, CommanderError } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import {
  CancelledFault,
  DifferenceFound,
  differenceExitCode,
  InterruptedFailure,
  interruptedExitCode,
  ReportedFailure,
  UsageFault,
} from '../context/failure.ts';
import { withCommandSpan } from '../context/with-command-span.ts';
import { checkNodeSelection } from '../node-selection/check-node-selection.ts';
import { accessOf } from '../node-selection/command-access.ts';
import { warnOfCertificateEnd } from '../node-selection/warn-of-certificate-end.ts';
import { escapeEntry, escapeLine } from '../output/escape-text.ts';
import { plainError } from '../render/plain-error.ts';
import { usageLine } from '../usage/usage-line.ts';
import { didYouMean, nearestName } from '../values/nearest-name.ts';
import type { CommandEntry } from './command-table.ts';
import { createProgram } from './create-program.ts';

/** Parses the words of one command, runs its action in a trace span and resolves to the exit code. */
export async function runCommand(
  entry: CommandEntry,
  module: CommandModule,
  words: readonly string[],
  env: CliEnvironment,
): Promise<number> {
  const program = createProgram(entry, module, env);
  let called: Command | undefined;
  program.hook('preAction', async (_program, action) => {
    called = action;
    await checkNodeSelection(action, env);
    await warnOfCertificateEnd(action, env);
  });
  try {
    await withCommandSpan(entry.name, env, () =>
      program.parseAsync([entry.name, ...words], { from: 'user' }),
    );
    return 0;
  } catch (error) {
    const exitCode = reportFailure(error, called, env);
    await printSuggestions(error, called, env);
    const outcome = env.signal.aborted && exitCode !== 0 ? outcomeOf(error, called) : undefined;
    if (outcome !== undefined) env.stderr.write(`cancelled: ${escapeLine(outcome)}\n`);
    return exitCode;
  }
}

function reportFailure(error: unknown, called: Command | undefined, env: CliEnvironment): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
  if (error instanceof ReportedFailure) return 1;
  if (error instanceof DifferenceFound) return differenceExitCode;
  if (error instanceof InterruptedFailure) return interruptedExitCode;
  if (error instanceof UsageFault) {
    const command = error.command ?? (called === undefined ? '' : commandPath(called));
    env.stderr.write(usageLine(error.message, command));
    return 1;
  }
  const fault = faultFrom(error);
  // After Ctrl-C the last line says what has become of the command.
  if (fault.kind === 'cancelled' && env.signal.aborted) return 1;
  env.stderr.write(`error: ${escapeEntry(plainError(fault.message))}\n`);
  return 1;
}

/** What has become of an interrupted command; undefined for a failure that the interrupt has not caused. */
function outcomeOf(error: unknown, called: Command | undefined): string | undefined {
  if (error instanceof InterruptedFailure || error instanceof CancelledFault) return error.message;
  const isCancelled = error instanceof ReportedFailure || faultFrom(error).kind === 'cancelled';
  if (error instanceof UsageFault || called === undefined || !isCancelled) return undefined;
  const access = accessOf(commandPath(called), called.args);
  const mayGoOn = access === 'changes' || access === 'destroys' || access === 'cluster';
  return mayGoOn ? 'what was sent to the nodes may still happen' : 'nothing was changed';
}

/** Prints suggestions after a failure, if there are any. */
async function printSuggestions(
  error: unknown,
  called: Command | undefined,
  env: CliEnvironment,
): Promise<void> {
  if (called === undefined || env.signal.aborted) return;
  const failures =
    error instanceof ReportedFailure
      ? error.failures
      : error instanceof Fault
        ? [{ node: undefined, fault: error }]
        : [];
  if (failures.length === 0) return;
  const { suggestions } = await import('../suggest/suggestions.ts');
  for (const line of await suggestions(env, called, failures)) env.stderr.write(`${escapeEntry(line)}\n`);
}

/**
 * Prints the help of the command in `entry`, or of the subcommand that `names` select.
 *
 * @returns the exit code: 1 when the subcommand does not exist
 */
export function printHelp(
  entry: CommandEntry,
  module: CommandModule,
  names: readonly string[],
  env: CliEnvironment,
): number {
  let command = createProgram(entry, module, env).commands[0] as Command;
  for (const name of names) {
    const { commands } = command;
    if (commands.length === 0) break;
    const next = commands.find((known) => known.name() === name || known.aliases().includes(name));
    if (next === undefined) {
      env.stderr.write(usageLine(unknownCommand(name, commands), commandPath(command)));
      return 1;
    }
    command = next;
  }
  command.outputHelp();
  return 0;
}

function unknownCommand(name: string, commands: readonly Command[]): string {
  const known = commands.flatMap((command) => [command.name(), ...command.aliases()]);
  return `unknown command ${JSON.stringify(name)}${didYouMean(nearestName(name, known))}`;
}
