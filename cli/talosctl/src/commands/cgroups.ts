import { type Fault, faultFrom } from '@nodewright/fault';
import { Option } from 'commander';
import { cgroupLines } from '../cgroups/cgroup-tree.ts';
import { groupName, queryNames } from '../cgroups/node-names.ts';
import { type CgroupPreset, cgroupPresets } from '../cgroups/presets.ts';
import { readCgroups } from '../cgroups/read-cgroups.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { writeDocument } from '../render/document.ts';
import { formatTable } from '../render/table.ts';

interface CgroupsOptions extends NodeOptions, OutputOptions {
  readonly preset?: CgroupPreset;
  readonly schemaFile?: string;
  readonly skipCriResolve: boolean;
}

async function showCgroups(env: CliEnvironment, options: CgroupsOptions): Promise<void> {
  const preset = presetOf(options);
  using client = await openClient(env, options);
  const node = onlyTarget(client, 'cgroups');
  const { signal } = env;
  const warn = (what: string, { message }: Fault) =>
    void env.stderr.write(`warning: ${node.name}: ${what}: ${message.split('\n', 1)[0]}\n`);
  const errors = new NodeErrors(env);
  try {
    const { tree, problem } = await readCgroups(node, signal);
    if (problem !== undefined) warn('some files of control groups could not be read', problem);
    const names = await queryNames(node, { resolveCri: !options.skipCriResolve, signal }, (what, fault) =>
      warn(`cannot read the ${what}`, fault),
    );
    const columns = cgroupPresets[preset];
    const lines = [...cgroupLines(tree.root, groupName(names.containers))].map(
      ({ group, parent, label }) => ({
        path: `/${group.path}`,
        label,
        values: columns.map(({ value }) => value(group, parent, names)),
      }),
    );
    if (options.output === 'table') {
      const header = ['NAME', ...columns.map(({ name }) => name)];
      const rows = lines.map(({ label, values }) => [label, ...values]);
      env.stdout.write(`${formatTable([header, ...rows]).join('\n')}\n`);
    } else {
      const cgroups = lines.map(({ path, values }) => ({
        path,
        ...Object.fromEntries(columns.map(({ name }, index) => [name, values[index]])),
      }));
      await writeDocument(env.stdout, options.output, { node: node.name, preset, cgroups });
    }
  } catch (error) {
    errors.add(node.name, faultFrom(error));
  }
  errors.end();
}

function presetOf({ preset, schemaFile }: CgroupsOptions): CgroupPreset {
  if (schemaFile !== undefined) {
    throw new UsageFault('--schema-file is not implemented: its columns are Go templates; use --preset');
  }
  if (preset === undefined) throw new UsageFault('choose columns with --preset');
  return preset;
}

/** `talosctl cgroups`: prints control groups as a tree with a preset's columns. Source: Talos v1.14: cgroups. */
export const cgroupsCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .addOption(new Option('--preset <name>', 'columns to show').choices(Object.keys(cgroupPresets)))
      .option('--schema-file <path>', 'columns from a file (not implemented)')
      .option('--skip-cri-resolve', 'show ids of pods and containers instead of their names', false)
      .action((options: CgroupsOptions) => showCgroups(env, options));
  },
};
