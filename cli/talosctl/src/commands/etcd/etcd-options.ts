import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { openClient } from '../../nodes/open-client.ts';

export type EtcdOptions = NodeOptions & OutputOptions;

/** Adds a subcommand of `talosctl etcd`, which also takes the options of its parent command. */
export function addEtcdCommand(etcd: Command, name: string, summary: string): Command {
  return addOutputOption(etcd.command(name).description(summary));
}

/** Checks that a command names one node. @throws UsageFault when the command line names several */
export async function requireOneNode(env: CliEnvironment, options: EtcdOptions, verb: string): Promise<void> {
  using client = await openClient(env, options);
  const { length } = client.targets;
  if (length > 1)
    throw new UsageFault(`${verb} works on one node, and ${length} are named: choose one with --nodes`);
}
