import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';
import type { ConvertedText } from '@nodewright/machine-config';
import { type Command, Option } from 'commander';
import { activeConfiguration } from '../configuration/node-configuration.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import { collectTexts } from '../context/collect-texts.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { naming } from '../context/read-input.ts';
import { addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { type PlannedFile, privateMode } from './gen/planned-file.ts';
import { writeFiles } from './gen/write-files.ts';
import { writeProofs } from './write-proofs.ts';

interface ConvertCommandOptions extends NodeOptions {
  readonly to: string;
  readonly output?: readonly string[];
  readonly patch: boolean;
  readonly force: boolean;
  readonly prove?: 'files' | 'run';
  readonly json: boolean;
}

/** A configuration to convert, with its name in messages and that of its file in a folder. */
interface Source {
  readonly name: string;
  readonly fileName: string;
  readonly text: string;
}

/** Adds `machineconfig convert`. */
export function defineMachineconfigConvert(machineconfig: Command, env: CliEnvironment): void {
  const command = machineconfig
    .command('convert')
    .description('Convert machine configurations between the old sections and the documents of 1.14')
    .argument('[files...]', 'machine configurations; - is standard input; none: those of the nodes')
    .requiredOption('--to <version>', 'release to convert to: 1.14, 1.15, or back to 1.13')
    .option('-p, --patch', 'the files are patches', false)
    .option('-o, --output <path>', 'file for each input in order, or one folder for all', collectTexts)
    .option('-f, --force', 'overwrite files that exist', false)
    .addOption(
      new Option(
        '--prove [how]',
        'compare what nodes make of both, and print that in place of the configuration; =run also starts three control planes of processes with the old one and gives them the new one (make kubernetes builds what they run)',
      )
        .choices(['files', 'run'])
        .preset('files'),
    )
    .option('--json', 'with --prove: print JSON', false);
  addNodeOptions(command).action((files: string[], options: ConvertCommandOptions) =>
    convertAll(env, files, options),
  );
}

async function convertAll(
  env: CliEnvironment,
  files: readonly string[],
  options: ConvertCommandOptions,
): Promise<void> {
  const { convertConfigurationText, convertPatchText, parseConversionTarget } = await import(
    '@nodewright/machine-config'
  );
  const to = parseConversionTarget(options.to);
  if (options.patch && to === 'sections')
    throw new UsageFault('patches are converted to documents only, not back');
  if (options.json && options.prove === undefined)
    throw new UsageFault('--json prints what --prove finds: add --prove');
  if (options.patch && options.prove !== undefined)
    throw new UsageFault('a patch cannot be proven: nodes make something of whole configurations only');
  if (files.filter((file) => file === '-').length > 1)
    throw new UsageFault('standard input can be read only once');
  if (files.length > 0 && options.nodes !== undefined)
    throw new UsageFault(
      'name either files or nodes: the configurations of nodes are converted without a file',
    );
  const convert = (text: string) =>
    options.patch
      ? convertPatchText(text)
      : convertConfigurationText(text, { isStored: files.length === 0, to });
  const sources = files.length > 0 ? await readFiles(env, files) : await readNodes(env, options);
  const isPrinted = options.prove !== undefined && options.output === undefined;
  const paths = isPrinted ? [] : await outputPaths(env, sources, options.output);
  const results: Converted[] = [];
  for (const source of sources)
    results.push({
      source,
      result: await naming(`cannot convert ${source.name}`, () => convert(source.text)),
    });
  if (options.prove !== undefined) {
    if (paths === undefined)
      throw new UsageFault('with --prove, standard output has the comparison: name a file with --output');
    await writeProofs(env, results, { isJson: options.json, isRun: options.prove === 'run' });
  }
  await writeConversions(env, results, { paths, force: options.force, isPatch: options.patch });
}

/** A configuration and what became of it. */
export interface Converted {
  readonly source: Source;
  readonly result: ConvertedText;
}

/**
 * Writes the notes of all conversions, and then their texts: to the paths, or to standard output when `paths` is undefined. Nothing is
 * written for any of them when a conversion would change what a node does without a note.
 *
 * @throws Fault `internal` that names each such change; the faults of `writeFiles`
 */
export async function writeConversions(
  env: CliEnvironment,
  results: readonly Converted[],
  options: {
    readonly paths: readonly string[] | undefined;
    readonly force: boolean;
    readonly isPatch: boolean;
  },
): Promise<void> {
  const { paths, force, isPatch } = options;
  const { formatNote } = await import('@nodewright/machine-config');
  const prefixOf = ({ source }: Converted) => (results.length > 1 ? `${source.name}: ` : '');
  const faults: string[] = [];
  for (const each of results) {
    const prefix = prefixOf(each);
    for (const note of each.result.notes)
      env.stderr.write(`NOTE: ${prefix}${escapeEntry(formatNote(note))}\n`);
    // Patches are no whole configurations, and have no effect that could be compared.
    if (!isPatch) faults.push(...(await linesOfUnnamed(each.result)).map((line) => `${prefix}${line}`));
  }
  if (faults.length > 0)
    throw new Fault(
      'internal',
      `nothing is written, because the conversion is wrong; please report it: ${faults.join('; ')}`,
    );
  if (paths === undefined) {
    const texts = results.map(({ result }) =>
      result.text.endsWith('\n') ? result.text : `${result.text}\n`,
    );
    env.stdout.write(texts.join('---\n'));
  } else {
    await writeFiles(await plannedFiles(env, results, paths), { cwd: env.cwd, force });
  }
}

async function linesOfUnnamed(result: ConvertedText): Promise<string[]> {
  const { unnamedChanges } = await import('@nodewright/machine-config');
  return unnamedChanges(result).map(({ path, kind }) => `${escapeEntry(path)} would be ${kind}`);
}

async function readFiles(env: CliEnvironment, files: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const file of files) {
    const { name, text } = await readConfigFile(env, file);
    sources.push({ name, text, fileName: file === '-' ? 'stdin.yaml' : basename(file) });
  }
  return sources;
}

async function readNodes(env: CliEnvironment, options: ConvertCommandOptions): Promise<Source[]> {
  if (options.patch) throw new UsageFault('no file is given: nodes have no patches');
  using client = await openClient(env, options);
  const sources: Source[] = [];
  for (const node of client.targets) {
    const text = await naming(node.name, () => activeConfiguration(env, node));
    sources.push({ name: `the configuration of ${node.name}`, text, fileName: `${node.name}.yaml` });
  }
  return sources;
}

/** The path of each output; `undefined` is standard output. */
async function outputPaths(
  env: CliEnvironment,
  sources: readonly Source[],
  outputs: readonly string[] = [],
): Promise<readonly string[] | undefined> {
  const [first] = outputs;
  if (first === undefined || (outputs.length === 1 && first === '-')) {
    if (sources.length < 2) return undefined;
    throw new UsageFault('several configurations need --output: a folder, or a file for each');
  }
  const found = await stat(resolve(env.cwd, first)).catch(() => undefined);
  const isFolder =
    found?.isDirectory() || first.endsWith('/') || (outputs.length === 1 && sources.length > 1);
  const paths =
    isFolder && outputs.length === 1 ? sources.map(({ fileName }) => join(first, fileName)) : outputs;
  if (paths.length !== sources.length)
    throw new UsageFault(`${sources.length} configurations need as many --output, or one folder`);
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined)
    throw new Fault('invalid-argument', `two configurations would be written to ${JSON.stringify(twice)}`);
  return paths;
}

/** A file that exists keeps its permissions; a new one is for its owner only, because of the secrets in it. */
async function plannedFiles(
  env: CliEnvironment,
  results: readonly { readonly result: ConvertedText }[],
  paths: readonly string[],
): Promise<PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const [at, path] of paths.entries()) {
    const before = await stat(resolve(env.cwd, path)).catch(() => undefined);
    const mode = before?.isFile() ? before.mode & 0o777 : privateMode;
    files.push({ path, text: results[at]?.result.text ?? '', mode });
  }
  return files;
}
