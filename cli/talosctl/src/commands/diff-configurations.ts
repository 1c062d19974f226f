import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';
import type { Configuration } from '@nodewright/machine-config';
import type { MeaningDifference } from '@nodewright/node-files';
import type { Command } from 'commander';
import { activeConfiguration } from '../configuration/node-configuration.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { DifferenceFound, UsageFault } from '../context/failure.ts';
import { naming } from '../context/read-input.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';

interface DiffOptions extends NodeOptions, OutputOptions {}

/** Two configurations to compare, with what they are called in messages. */
interface Pair {
  readonly before: { readonly name: string; readonly configuration: Configuration };
  readonly after: { readonly name: string; readonly configuration: Configuration };
  /** Whose drift it is; undefined for two files. */
  readonly node?: string;
}

/** Adds `machineconfig diff`. */
export function defineMachineconfigDiff(machineconfig: Command, env: CliEnvironment): void {
  const command = machineconfig
    .command('diff')
    .description('Compare machine configurations by what nodes make of them; exits with 3 if they differ')
    .argument(
      '<first>',
      'machine configuration; alone: compared with nodes, and may be a folder with <node>.yaml',
    )
    .argument('[second]', 'machine configuration to compare the first one with; - is standard input');
  addOutputOption(addNodeOptions(command)).action(
    (first: string, second: string | undefined, options: DiffOptions) => diff(env, first, second, options),
  );
}

async function diff(
  env: CliEnvironment,
  first: string,
  second: string | undefined,
  options: DiffOptions,
): Promise<void> {
  if (second !== undefined && options.nodes !== undefined)
    throw new UsageFault('name either a second file or nodes: nodes are compared with one file or folder');
  if (first === '-' && second === '-') throw new UsageFault('standard input can be read only once');
  const pairs =
    second === undefined ? await drift(env, first, options) : [await twoFiles(env, first, second)];
  const { diffByMeaning, formatMeaning } = await import('@nodewright/node-files');
  const results: { readonly pair: Pair; readonly found: MeaningDifference }[] = [];
  for (const pair of pairs) {
    const what = `cannot compare ${pair.before.name} with ${pair.after.name}`;
    const found = await naming(what, () =>
      diffByMeaning(pair.before.configuration, pair.after.configuration),
    );
    results.push({ pair, found });
  }
  if (options.output === 'table')
    for (const { pair, found } of results) {
      const prefix = pair.node === undefined ? '' : `${pair.node}: `;
      const lines = formatMeaning(found).map((line) => `${escapeEntry(`${prefix}${line}`)}\n`);
      env.stdout.write(lines.join(''));
    }
  else
    await writeDocument(env.stdout, options.output, {
      comparisons: results.map(({ pair: { before, after, node }, found }) => ({
        ...(node !== undefined && { node }),
        ...{ before: before.name, after: after.name, differs: found.changes.length > 0, ...found },
      })),
    });
  if (results.some(({ found }) => found.changes.length > 0)) throw new DifferenceFound('they differ');
}

async function twoFiles(env: CliEnvironment, first: string, second: string): Promise<Pair> {
  return { before: await readFrom(env, first), after: await readFrom(env, second) };
}

async function readFrom(env: CliEnvironment, path: string): Promise<Pair['before']> {
  const { name, text } = await readConfigFile(env, path);
  return { name, configuration: await load(name, text, false) };
}

/** What each node has, and what the file has for it: the file is what a node would get. */
async function drift(env: CliEnvironment, path: string, options: DiffOptions): Promise<Pair[]> {
  const isFolder =
    path !== '-' && (await stat(resolve(env.cwd, path)).catch(() => undefined))?.isDirectory() === true;
  const file = isFolder ? undefined : await readFrom(env, path);
  using client = await openClient(env, options);
  const pairs: Pair[] = [];
  for (const node of client.targets) {
    const after = file ?? (await readFrom(env, fileOfNode(path, node.name)));
    const name = `the configuration of ${node.name}`;
    const text = await naming(node.name, () => activeConfiguration(env, node));
    pairs.push({ before: { name, configuration: await load(name, text, true) }, after, node: node.name });
  }
  return pairs;
}

/** The name comes from the command line, but must not lead out of the folder. */
function fileOfNode(folder: string, node: string): string {
  if (!/^[A-Za-z0-9._:-]+$/.test(node) || node.startsWith('.'))
    throw new Fault('invalid-argument', `no file can have the name of the node ${JSON.stringify(node)}`);
  return join(folder, `${node}.yaml`);
}

/** @param isStored whether a node has it, which may have stored it in an older release */
async function load(name: string, text: string, isStored: boolean): Promise<Configuration> {
  const { loadConfiguration } = await import('@nodewright/machine-config');
  return naming(`cannot read ${name}`, () => loadConfiguration(text, { isStored }));
}
