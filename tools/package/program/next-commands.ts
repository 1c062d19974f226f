export interface NextCommandsInit {
  /** Path of `bin/nodewright` of the copy that the cluster runs from. */
  readonly program: string;
  readonly home: string;
  readonly name: string;
  readonly nodes: readonly string[];
}

/** What a user may do with a cluster that was started, one command per line. */
export function nextCommands({ program, home, name, nodes }: NextCommandsInit): string {
  // The first lines of a long list of nodes would be longer than the terminal.
  const shown = nodes.slice(0, 4).join(',');
  const down = name === 'talos-default' ? 'nodewright down' : `nodewright down --name ${name}`;
  const rows = [
    [`alias nodewright=${shellWord(program, home)}`, ''],
    [`nodewright talosctl -n ${shown} memory`, 'ask the nodes'],
    ['nodewright ui', 'the cluster in your browser'],
    ['nodewright talosctl dashboard', 'the same on this terminal'],
    [`nodewright talosctl -n ${nodes[0]} health`, 'check it'],
    [down, 'remove it, and what was copied'],
  ] as const;
  const width = Math.max(...rows.slice(1).map(([command]) => command.length));
  const lines = rows.map(([command, text]) =>
    text === '' ? `  ${command}` : `  ${command.padEnd(width)}   # ${text}`,
  );
  return `\nNext:\n${lines.join('\n')}`;
}

function shellWord(path: string, home: string): string {
  if (!/^[\w@%+=:,./-]+$/.test(path)) return `"'${path.replaceAll("'", `'\\''`)}'"`;
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path;
}
