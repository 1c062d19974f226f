import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import type { NodeFailure } from '../context/failure.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { nearestName } from '../values/nearest-name.ts';
import { type AbsentNodes, absentNodes } from './absent-nodes.ts';
import { adviceFor, isForbidden, isUnknownNode } from './advice.ts';
import { endedCertificate } from './ended-certificate.ts';
import { knownNames } from './known-names.ts';
import { neededRoles } from './needed-roles.ts';
import { stoppedCluster } from './stopped-cluster.ts';

/**
 * Hints after a command has failed, one per line: that a node is in maintenance, the name that was probably meant, and what to do. They
 * cost a call to each node that is no member, and one more when a name was wrong; if such a call fails, its hints are left out.
 */
export async function suggestions(
  env: CliEnvironment,
  called: Command,
  failures: readonly NodeFailure[],
): Promise<readonly string[]> {
  const options = called.optsWithGlobals<NodeOptions>();
  const absent = options.insecure
    ? noAbsentNodes
    : await absentNodes(env, options, failures).catch(() => noAbsentNodes);
  const others = failures.filter(({ node }) => node === undefined || !absent.explained.has(node));
  const meant = await meantNames(env, called, others).catch(() => []);
  const hints = [...absent.lines, ...meant];
  if (hints.length > 0) return hints;
  // Without a client certificate no context is in use.
  if (options.insecure) return [];
  const ended = await endedCertificate(env, options, failures).catch(() => undefined);
  if (ended !== undefined) return [ended];
  const stopped = await stoppedCluster(env, options, failures).catch(() => undefined);
  if (stopped !== undefined) return [stopped];
  const isRefused = failures.some(({ fault }) => isForbidden(fault));
  const needed = isRefused ? await neededRoles(env, called, options).catch(() => undefined) : undefined;
  if (needed !== undefined) return [needed];
  return [...new Set(failures.flatMap(({ fault }) => adviceFor(fault) ?? []))];
}

const noAbsentNodes: AbsentNodes = { lines: [], explained: new Set() };

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
    return nodeHints(unknown, [...new Set(names)]);
  }
  const known = knownNames[commandPath(called)];
  const word = known === undefined ? undefined : called.args[known.argument];
  if (known === undefined || word === undefined) return [];
  if (!failures.some(({ fault }) => known.isMissing(fault))) return [];
  const names = await known.names({ env, command: called, args: called.args, nodeOptions });
  return nearestNames([word], names).map(didYouMeanLine);
}

/** So many nodes fit on a line. */
const mostNodes = 12;

/** The name that was probably meant; where another number may be meant as well, all nodes of the cluster. */
function nodeHints(unknown: readonly string[], names: readonly string[]): readonly string[] {
  const withoutNumber = (name: string) => name.replace(/\d+$/, '');
  const isNumbered = unknown.some((word) =>
    names.some((name) => name !== withoutNumber(name) && withoutNumber(name) === withoutNumber(word)),
  );
  const nearest = isNumbered ? [] : nearestNames(unknown, names);
  if (nearest.length > 0) return nearest.map(didYouMeanLine);
  if (names.length === 0) return [];
  const more = names.length > mostNodes ? ` and ${names.length - mostNodes} more` : '';
  return [`the nodes of this cluster are ${names.slice(0, mostNodes).join(', ')}${more}`];
}

const didYouMeanLine = (name: string) => `did you mean ${JSON.stringify(name)}?`;

function nearestNames(words: readonly string[], names: readonly string[]): readonly string[] {
  // A name that is known is not misspelt.
  const misspelt = words.filter((word) => !names.includes(word));
  return [...new Set(misspelt.flatMap((word) => nearestName(word, names) ?? []))];
}
