import type { Command } from 'commander';
import type { CliEnvironment } from '../command-module.ts';
import type { NodeFailure } from '../failure.ts';
import { nearestName } from '../nearest-name.ts';
import type { NodeOptions } from '../node-options.ts';
import { commandPath } from '../node-selection/command-path.ts';
import { adviceFor, isUnknownNode } from './advice.ts';
import { knownNames } from './known-names.ts';

/**
 * Hints after a command has failed, one per line: the name that was probably meant, and what to do. They cost
 * one more call, and only when a name was wrong; if that call fails, its hints are left out.
 */
export async function suggestions(
  env: CliEnvironment,
  called: Command,
  failures: readonly NodeFailure[],
): Promise<readonly string[]> {
  const meant = await meantNames(env, called, failures).catch(() => []);
  if (meant.length > 0) return meant.map((name) => `did you mean ${JSON.stringify(name)}?`);
  // Without a client certificate no context is in use.
  if (called.optsWithGlobals<NodeOptions>().insecure) return [];
  return [...new Set(failures.flatMap(({ fault }) => adviceFor(fault) ?? []))];
}

async function meantNames(
  env: CliEnvironment,
  called: Command,
  failures: readonly NodeFailure[],
): Promise<readonly string[]> {
  const nodeOptions = called.optsWithGlobals<NodeOptions>();
  const unknown = failures.flatMap(({ node, fault }) =>
    node !== undefined && isUnknownNode(fault) ? [node] : [],
  );
  if (unknown.length > 0) {
    const { knownNodes } = await import('../completion/known-nodes.ts');
    const { names } = await knownNodes(env, { ...nodeOptions, nodes: undefined });
    return nearestNames(unknown, names);
  }
  const known = knownNames[commandPath(called)];
  const word = known === undefined ? undefined : called.args[known.argument];
  if (known === undefined || word === undefined) return [];
  if (!failures.some(({ fault }) => known.isMissing(fault))) return [];
  return nearestNames([word], await known.names({ env, command: called, args: called.args, nodeOptions }));
}

function nearestNames(words: readonly string[], names: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => nearestName(word, names) ?? []))];
}
