import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { type Configuration, loadConfiguration, validateConfiguration } from '@nodewright/machine-config';
import { applyConfiguration } from '../../configuration/apply-options.ts';
import { escapeText } from '../../output/escape-text.ts';
import { plainError } from '../../render/plain-error.ts';
import type { CheckAnswer, DifferenceAnswer, Finding } from '../protocol/calls.ts';
import type { ActiveConfiguration, NodeConfigurations } from './node-configurations.ts';

/** Checks an edited text against the schema, and the values against each other. Nothing is sent to the node. */
export async function checkText(
  configurations: NodeConfigurations,
  node: NodeClient,
  text: string,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  try {
    const edited = loadConfiguration(text);
    const restored = configurations.restore(node.name, edited, await configurations.last(node, signal));
    const { errors, warnings } = validationOf(restored);
    return { errors: errors.map((message) => ({ message })), warnings };
  } catch (error) {
    return { errors: findingsOf(faultFrom(error).message), warnings: [] };
  }
}

/** What a node that is installed would say about a configuration. */
export function validationOf(configuration: Configuration) {
  const { errors, warnings } = validateConfiguration(configuration, {
    ...{ mode: 'metal', isInstalled: true, local: true },
  });
  return { errors: errors.map((message) => message.trimEnd()), warnings };
}

/** The faults that a message of the decoder lists, each with its place. */
export function findingsOf(message: string): Finding[] {
  const listed = [...message.matchAll(/^ +line (\d+), column (\d+): (.*)$/gm)].map(
    ([, line, column, text = '']) => ({
      ...{ message: `line ${line}: ${text}`, line: Number(line), column: Number(column) },
    }),
  );
  if (listed.length > 0) return listed;
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? [];
  return [{ message, ...(line !== undefined && { line: Number(line), column: Number(column) }) }];
}

/** An edited text, as it is sent to the node. */
export interface EditedText {
  readonly active: ActiveConfiguration;
  readonly edited: ActiveConfiguration;
}

/**
 * Puts the secrets of the node back into an edited text, and the comments of the active configuration.
 *
 * @throws Fault `invalid-argument` for a text that cannot be decoded
 */
export async function readEdited(
  configurations: NodeConfigurations,
  node: NodeClient,
  text: string,
  signal: AbortSignal,
): Promise<EditedText> {
  const active = await configurations.read(node, signal);
  requireEditable(configurations.shown(active.documents).text);
  const documents = configurations.restore(node.name, loadConfiguration(text), active);
  return { active, edited: { documents, text: configurations.encode(node.name, documents, active) } };
}

/** The page gets invisible characters as escapes, so a text with some of them would come back changed. */
function requireEditable(shown: string): void {
  if (escapeText(shown) === shown) return;
  throw new Fault(
    'failed-precondition',
    'the configuration of the node has characters that this page cannot show: use "talosctl edit machineconfig"',
  );
}

/** What would change, and what the node says about it in a dry run. The node's own difference has secrets and is not shown. */
export async function differenceOf(
  configurations: NodeConfigurations,
  node: NodeClient,
  text: string,
  signal: AbortSignal,
): Promise<DifferenceAnswer> {
  const { active, edited } = await readEdited(configurations, node, text, signal);
  const shown = {
    before: configurations.shown(active.documents).text,
    after: configurations.shown(edited.documents).text,
  };
  try {
    const options = { mode: 'try', timeout: 60_000_000_000n, dryRun: true } as const;
    const { details, warnings } = await applyConfiguration(node, edited.text, options, signal);
    return { ...shown, details: summaryOf(details), warnings };
  } catch (error) {
    signal.throwIfAborted();
    const refusal = plainError(faultFrom(error).message);
    return { ...shown, details: '', warnings: [], refusal };
  }
}

/** The sentence about the mode, which is the only line of a dry run that is not part of its difference. */
function summaryOf(details: string): string {
  const lines = details.split('\n');
  return lines.find((line) => line.endsWith('(skipped in dry-run).')) ?? '';
}
