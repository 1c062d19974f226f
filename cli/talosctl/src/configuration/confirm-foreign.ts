import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { continueQuestionFor } from '../nodes/ask-question.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { openQuestions } from '../nodes/open-questions.ts';
import { escapeLine } from '../output/escape-text.ts';
import type { ApplyOptions } from './apply-options.ts';

export interface ForeignChange {
  readonly node: string;
  /** The active configuration of the node. */
  readonly before: string;
  /** The configuration to send. */
  readonly after: string;
}

/**
 * Asks before a configuration of another cluster, or for the other machine type, is sent. It does not ask with `--yes`
 * or in a dry run, in which the node itself warns.
 *
 * @returns why the configuration must not be sent; `undefined` to send it
 * @throws InterruptedFailure after Ctrl-C, which the report of the command must name
 */
export async function refuseForeign(
  env: CliEnvironment,
  { node, before, after }: ForeignChange,
  options: ApplyOptions & NodeOptions,
): Promise<Fault | undefined> {
  const { dryRun, yes = false } = options;
  if (dryRun || yes) return undefined;
  const warnings = await warningsOf(before, after);
  if (warnings.length === 0) return undefined;
  if (!env.isInteractive) {
    const what = `${warnings.join('; ')}; there is no terminal to confirm it on: add flag --yes`;
    return new Fault('failed-precondition', what);
  }
  for (const warning of warnings) env.stderr.write(`${escapeLine(`${node}: WARNING: ${warning}`)}\n`);
  using questions = openQuestions(env);
  if (await questions.isConfirmed(`${await continueQuestionFor(env, options)}: `)) return undefined;
  return new Fault('cancelled', 'not confirmed');
}

/** Returns no warnings for what this program cannot decode: the node decides then. */
async function warningsOf(before: string, after: string): Promise<string[]> {
  const { effectiveConfig, foreignWarnings, loadConfiguration } = await import('@nodewright/machine-config');
  try {
    const active = effectiveConfig(loadConfiguration(before, { isStored: true }));
    return foreignWarnings(active, effectiveConfig(loadConfiguration(after)));
  } catch {
    return [];
  }
}
