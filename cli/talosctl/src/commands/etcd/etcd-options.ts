import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { UsageFault } from '../../failure.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../node-options.ts';
import { openClient } from '../../open-client.ts';

export type EtcdOptions = NodeOptions & OutputOptions;

/** One subcommand of `talosctl etcd`; its options are those of its own and those of the verb. */
export function addEtcdCommand(etcd: Command, name: string, summary: string): Command {
  return addOutputOption(etcd.command(name).description(summary));
}

/** For calls that make sense on one node at a time. @throws UsageFault when the command line names more */
export async function requireOneNode(env: CliEnvironment, options: EtcdOptions, verb: string): Promise<void> {
  using client = await openClient(env, options);
  const { length } = client.targets;
  if (length > 1)
    throw new UsageFault(`${verb} works on one node, and ${length} are named: choose one with --nodes`);
}
