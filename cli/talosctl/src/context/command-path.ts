import type { Command } from 'commander';

/** The names of a command and its parents, without the program and without aliases: `etcd members`. */
export function commandPath(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

/** The commands below this one that have no subcommands; the command itself when it has none. */
export function leafCommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leafCommands);
}
