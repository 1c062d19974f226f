import { type KubeconfigRename, parseKubeconfig, readKubeconfig } from '@nodewright/client/kubeconfig';
import { faultFrom } from '@nodewright/fault';
import { Option } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { Progress } from '../context/progress.ts';
import { decideConflicts } from '../kubeconfig/decide-conflicts.ts';
import { locateKubeconfig } from '../kubeconfig/kubeconfig-place.ts';
import { readMergedFile, updateKubeconfig } from '../kubeconfig/update-kubeconfig.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeLine } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';

interface KubeconfigOptions extends NodeOptions, OutputOptions {
  readonly force?: boolean;
  readonly merge: boolean;
  readonly forceContextName?: string;
}

/** `talosctl kubeconfig [path]`: requests a kubeconfig and merges it. Source: Talos v1.14: kubeconfig. */
export const kubeconfigCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument(
        '[path]',
        'file to merge with or to write; "-" is standard output (default: the file in KUBECONFIG, or ~/.kube/config)',
      )
      .option(
        '-f, --force',
        'overwrite entries of the same name, also a context that leads to another server, or without merging the file',
      )
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
  const path = await locateKubeconfig(env, given, options.merge);
  const isShown = path === '-';
  if (isShown && options.merge)
    throw new UsageFault('standard output cannot be merged with: add flag --merge=false');
  if (isShown && options.output !== 'table')
    throw new UsageFault('path "-" prints the kubeconfig itself: leave out flag --output');
  const treatment = { merges: options.merge, force: options.force ?? false };
  // Fail before a certificate is issued when the file cannot be written.
  const seen = isShown ? undefined : (await readMergedFile(path, treatment))?.config;

  const fetched = await fetchText(env, options);
  if (fetched === undefined) return;
  const incoming = parseKubeconfig(fetched.text, `the answer of ${fetched.node}`);
  if (isShown) {
    env.stdout.write(fetched.text);
    return;
  }
  const overwritten =
    seen === undefined || treatment.force
      ? []
      : await decideConflicts(env, {
          ...{ base: seen, incoming, contextName: options.forceContextName, output: options.output },
          document: (error) => ({ node: fetched.node, error }),
        });
  const { config, renames, merged } = await updateKubeconfig({
    ...{ path, incoming, seen, overwritten, ...treatment },
    ...{ contextName: options.forceContextName, signal: env.signal },
  });
  await report(env, options, { node: fetched.node, path, merged, context: config.currentContext, renames });
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
  readonly path: string;
  readonly merged: boolean;
  readonly context: string;
  readonly renames: readonly KubeconfigRename[];
}

async function report(
  env: CliEnvironment,
  { output }: OutputOptions,
  { node, path, merged, context, renames }: Written,
): Promise<void> {
  if (output !== 'table') {
    await writeDocument(env.stdout, output, {
      ...{ node, path, merged, context },
      renamed: renames,
    });
    return;
  }
  for (const { part, from, to } of renames)
    env.stdout.write(`${escapeLine(`renamed ${part} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)}\n`);
}
