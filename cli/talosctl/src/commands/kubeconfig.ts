import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type KubeconfigRename,
  kubeconfigConflicts,
  mergeKubeconfig,
  parseKubeconfig,
  printKubeconfig,
  readKubeconfig,
} from '@nodewright/client/kubeconfig';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder, writeFileAtomically } from '@nodewright/files';
import { Option } from 'commander';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import { decideConflicts } from '../kubeconfig/decide-conflicts.ts';
import { type KubeconfigPlace, locateKubeconfig } from '../kubeconfig/kubeconfig-place.ts';
import { NodeErrors } from '../node-errors.ts';
import { addNodeOptions, addOutputOption, type NodeOptions, type OutputOptions } from '../node-options.ts';
import { onlyTarget } from '../only-target.ts';
import { openClient } from '../open-client.ts';
import { escapeLine } from '../output/escape-text.ts';
import { Progress } from '../progress.ts';
import { writeDocument } from '../render/document.ts';
import { acceptBooleanValues } from './gen/accept-boolean-values.ts';

interface KubeconfigOptions extends NodeOptions, OutputOptions {
  readonly force?: boolean;
  readonly merge: boolean;
  readonly forceContextName?: string;
}

/** `talosctl kubeconfig [path]`: requests a kubeconfig and merges it. Source: Talos v1.14: kubeconfig. */
export const kubeconfigCommand: CommandModule = {
  define(command, env) {
    acceptBooleanValues(addOutputOption(addNodeOptions(command)))
      .argument(
        '[path]',
        'file to merge with or to write; "-" is standard output (default: the file in KUBECONFIG, or ~/.kube/config)',
      )
      .option('-f, --force', 'overwrite entries of the same name, or without merging the file')
      .option('-m, --merge', 'merge with an existing kubeconfig', true)
      .addOption(new Option('--no-merge').hideHelp())
      .option('--force-context-name <name>', 'name of the context')
      .action((path: string | undefined, options: KubeconfigOptions) => run(env, path, options));
  },
};

async function run(
  env: CliEnvironment,
  given: string | undefined,
  options: KubeconfigOptions,
): Promise<void> {
  const place = await locateKubeconfig(env, given, options.merge);
  const isShown = place.path === '-';
  if (isShown && options.merge)
    throw new UsageFault('standard output cannot be merged with: add flag --merge=false');
  if (isShown && options.output !== 'table')
    throw new UsageFault('path "-" prints the kubeconfig itself: leave out flag --output');
  const merges = options.merge && place.exists;
  if (place.exists && !merges && !options.force)
    throw new Fault(
      'already-exists',
      `${place.path} exists: add flag --force to overwrite it, or merge with it`,
    );
  // Fail before a certificate is issued when the file cannot be merged with.
  const base = merges ? parseKubeconfig(await readFile(place.path, 'utf8'), place.path) : undefined;

  const fetched = await fetchText(env, options);
  if (fetched === undefined) return;
  const incoming = parseKubeconfig(fetched.text, `the answer of ${fetched.node}`);
  if (isShown) {
    env.stdout.write(fetched.text);
    return;
  }
  const overwrites =
    base === undefined
      ? () => true
      : await decideConflicts(env, kubeconfigConflicts(base, incoming), options.force ?? false);
  const { config, renames } = mergeKubeconfig(
    base ?? { ...incoming, clusters: [], users: [], contexts: [], currentContext: '' },
    incoming,
    { overwrites, contextName: options.forceContextName },
  );
  await makeFolder(dirname(place.path), 0o755);
  await writeFileAtomically(place.path, printKubeconfig(config), { hasOtherWriters: true });
  await report(env, options, { node: fetched.node, place, merges, context: config.currentContext, renames });
}

/** Resolves to `undefined` after a failure, which was reported. */
async function fetchText(
  env: CliEnvironment,
  options: KubeconfigOptions,
): Promise<{ readonly node: string; readonly text: string } | undefined> {
  using client = await openClient(env, options);
  const node = onlyTarget(client, 'kubeconfig');
  using _progress = new Progress(env.stderr, () => `waiting for ${node.name}`);
  try {
    return { node: node.name, text: await readKubeconfig(node, env.signal) };
  } catch (error) {
    const errors = new NodeErrors(env);
    errors.add(node.name, faultFrom(error));
    errors.end();
    return undefined;
  }
}

interface Written {
  readonly node: string;
  readonly place: KubeconfigPlace;
  readonly merges: boolean;
  readonly context: string;
  readonly renames: readonly KubeconfigRename[];
}

async function report(
  env: CliEnvironment,
  { output }: OutputOptions,
  { node, place, merges, context, renames }: Written,
): Promise<void> {
  if (output !== 'table') {
    await writeDocument(env.stdout, output, {
      ...{ node, path: place.path, merged: merges, context },
      renamed: renames,
    });
    return;
  }
  for (const { part, from, to } of renames)
    env.stdout.write(`${escapeLine(`renamed ${part} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)}\n`);
}
