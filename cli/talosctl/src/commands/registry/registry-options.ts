import type { Command } from 'commander';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../node-options.ts';

export type RegistryOptions = NodeOptions & OutputOptions;

export function addRegistryCommand(registry: Command, usage: string, summary: string): Command {
  return addOutputOption(registry.command(usage).description(summary));
}

/** A time of registryd; empty for 0, which stands for none. @param seconds Unix time */
export function timeText(seconds: bigint): string {
  // Times behind the year 9999, which only a node that is not ours sends, have no date.
  const date = new Date(Number(seconds) * 1000);
  if (seconds === 0n) return '';
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000Z', 'Z');
}
