import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ConfigPatch } from '@nodewright/machine-config';
import { addApplyOptions } from '../configuration/apply-options.ts';
import type { ApplyReport } from '../configuration/apply-report.ts';
import { refuseCut } from '../configuration/confirm-cut.ts';
import { refuseForeign } from '../configuration/confirm-foreign.ts';
import { activeConfiguration, storedConfiguration } from '../configuration/node-configuration.ts';
import { patchText } from '../configuration/patch-text.ts';
import { type ChangeOptions, sendChange, walkNodes } from '../configuration/walk-nodes.ts';
import { collectTexts } from '../context/collect-texts.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { addNodeOptions, addOutputOption } from '../nodes/node-options.ts';
import { readPatches } from './gen/read-patches.ts';

interface PatchOptions extends ChangeOptions {
  readonly patch?: readonly string[];
  readonly patchFile?: string;
}

async function allPatches(env: CliEnvironment, { patch, patchFile }: PatchOptions): Promise<ConfigPatch[]> {
  const ofFile = patchFile === undefined ? [] : [`@${patchFile}`];
  const patches = [
    ...(await readPatches(env.cwd, '--patch', patch)),
    ...(await readPatches(env.cwd, '--patch-file', ofFile)),
  ];
  if (patches.length === 0) throw new UsageFault('no patch is given: use --patch or --patch-file');
  return patches;
}

async function patchNode(
  env: CliEnvironment,
  { node, client }: { readonly node: NodeClient; readonly client: TalosClient },
  patches: readonly ConfigPatch[],
  options: PatchOptions,
  report: ApplyReport,
): Promise<undefined> {
  const before = await activeConfiguration(env, node);
  const patched = await patchText('its configuration', before, patches, { isStored: true }).catch((error) =>
    faultFrom(error),
  );
  if (patched instanceof Fault) return void report.stopped(node.name, patched);
  const { text, isChanged } = patched;
  if (!isChanged) {
    if ((await storedConfiguration(env, node)) === before) {
      return void report.skipped(
        node.name,
        'no changes: the node already has this configuration, nothing was sent',
      );
    }
    // The active configuration is only being tried, or another one is staged: sending it again makes it permanent.
    report.note(
      node.name,
      'no changes to the active configuration; it is sent again, because the node has stored another one',
    );
  }
  const sent = isChanged ? text : before;
  const refused =
    (await refuseForeign(env, { node: node.name, before, after: sent }, options)) ??
    (await refuseCut(env, { node, client, text: sent }, options));
  if (refused !== undefined) return void report.stopped(node.name, refused);
  try {
    const result = await sendChange(env, node, sent, options);
    // Also printed in a dry run, as upstream does: the node's own message says that nothing was changed.
    if (isChanged) report.patched(node.name);
    report.applied(node.name, result);
  } catch (error) {
    report.failed(node.name, faultFrom(error));
  }
}

/** `talosctl patch machineconfig`. Source: Talos v1.14: patch. */
export const patchCommand: CommandModule = {
  define(command, env) {
    addApplyOptions(addOutputOption(addNodeOptions(command)))
      .argument('<type>', 'resource type: machineconfig (mc), the only one that can be patched')
      .argument('[id]', 'ignored: always v1alpha1, the active configuration')
      .option('-p, --patch <patch>', 'patch: text, or @file (repeatable)', collectTexts)
      .option('--patch-file <path>', 'file with a patch to apply after those of --patch')
      .option('--namespace <name>', 'accepted, but has no effect')
      .action(async (type: string, _id: string | undefined, options: PatchOptions) => {
        const patches = await allPatches(env, options);
        await walkNodes(env, options, { type, verb: 'patched' }, (node, report, client) =>
          patchNode(env, { node, client }, patches, options, report),
        );
      });
  },
};
