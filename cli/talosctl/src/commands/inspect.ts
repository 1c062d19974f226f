import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { faultFrom } from '@nodewright/fault';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { type Dependency, dependencyFromEdge } from '../inspect/dependency.ts';
import { dependencyDot } from '../inspect/dependency-dot.ts';
import { dependencySvg } from '../inspect/dependency-svg.ts';
import { openGraphviz } from '../inspect/graphviz.ts';
import { type ListedResources, listResourceIds } from '../inspect/list-resource-ids.ts';
import { NodeErrors, rpcErrorText } from '../nodes/node-errors.ts';
import { addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { openItems } from '../render/document.ts';

const graphFormats = ['dot', 'svg', 'json', 'yaml'] as const;
type GraphFormat = (typeof graphFormats)[number];

interface DependencyOptions extends NodeOptions {
  readonly output: GraphFormat;
  readonly withResources: boolean;
}

interface Answer {
  readonly dependencies: readonly Dependency[];
  readonly listed?: ListedResources;
}

function parseGraphFormat(text: string): GraphFormat {
  const format = graphFormats.find((known) => known === text);
  if (format === undefined) throw new InvalidArgumentError(`It must be one of ${graphFormats.join(', ')}.`);
  return format;
}

async function ask(node: NodeClient, withResources: boolean, signal: AbortSignal): Promise<Answer> {
  const { edges } = onlyMessage(await node.inspect.controllerRuntimeDependencies({}, { signal }));
  const dependencies = edges.map(dependencyFromEdge);
  return withResources
    ? { dependencies, listed: await listResourceIds(node, dependencies, signal) }
    : { dependencies };
}

async function write(
  env: CliEnvironment,
  format: GraphFormat,
  node: string,
  { dependencies, listed }: Answer,
): Promise<void> {
  const { stdout } = env;
  const resources = listed?.ids;
  if (format === 'dot') return writeSlowly(stdout, dependencyDot(dependencies, resources));
  if (format === 'svg') {
    const layOut = await openGraphviz();
    const title = `Controllers of ${node}`;
    return writeSlowly(stdout, dependencySvg({ title, dependencies, resources, layOut }));
  }
  const items = openItems(stdout, format, false);
  await items.add({
    node,
    edges: dependencies,
    ...(resources && { resources: Object.fromEntries([...resources].filter(([, ids]) => ids.length > 0)) }),
  });
  items.end();
}

/** Prints one warning per reason, because nodes often refuse several types for the same reason. */
function warnOfRefusals(env: CliEnvironment, node: string, refusals: ListedResources['refusals']): void {
  for (const [text, group] of Map.groupBy(refusals, ({ fault }) => rpcErrorText(fault))) {
    const types = group.map(({ type }) => type).join(', ');
    env.stderr.write(`warning: ${nodeNameInLine(node)} does not list ${types}: ${text}\n`);
  }
}

async function inspectDependencies(env: CliEnvironment, options: DependencyOptions): Promise<void> {
  using client = await openClient(env, options);
  const node = onlyTarget(client, '"inspect dependencies"');
  const errors = new NodeErrors(env);
  try {
    const answer = await showWait(env.stderr, node.name, ask(node, options.withResources, env.signal));
    await write(env, options.output, node.name, answer);
    warnOfRefusals(env, node.name, answer.listed?.refusals ?? []);
  } catch (error) {
    errors.add(node.name, faultFrom(error));
  }
  errors.end();
}

/**
 * `talosctl inspect dependencies`: draws which controllers read and write which resources.
 * Source: Talos v1.14: inspect dependencies.
 */
export const inspectCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command)
      .command('dependencies')
      .description('Draw which controllers of a node read and write which resources')
      .option('--with-resources', 'show the existing resources as well', false)
      .option(
        '-o, --output <format>',
        'output format: dot (the language of Graphviz), svg (a picture), json or yaml',
        parseGraphFormat,
        'dot',
      )
      .action((_options: DependencyOptions, action: Command) =>
        inspectDependencies(env, action.optsWithGlobals()),
      );
  },
};
