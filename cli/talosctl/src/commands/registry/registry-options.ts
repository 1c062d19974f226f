import type { Command } from 'commander';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { formatUnixTime } from '../../render/unix-time.ts';

export type RegistryOptions = NodeOptions & OutputOptions;

export function addRegistryCommand(registry: Command, usage: string, summary: string): Command {
  return addOutputOption(registry.command(usage).description(summary));
}

/** A time of registryd; empty for 0, which stands for none. @param seconds Unix time */
export function timeText(seconds: bigint): string {
  return seconds === 0n ? '' : formatUnixTime(seconds);
}
