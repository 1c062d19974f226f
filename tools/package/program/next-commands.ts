export interface NextCommandsInit {
  /** Path of `bin/nodewright` of the copy that the cluster runs from. */
  readonly program: string;
  readonly home: string;
  readonly name: string;
  readonly nodes: readonly string[];
  /** The context of the cluster, unless it is the current one already. */
  readonly otherContext?: string | undefined;
}

/** What a user may do with a cluster that was started, one command per line. */
export function nextCommands({ program, home, name, nodes, otherContext }: NextCommandsInit): string {
  // The first lines of a long list of nodes would be longer than the terminal.
  const shown = nodes.slice(0, 4).join(',');
  const down = name === 'talos-default' ? 'nodewright down' : `nodewright down --name ${name}`;
  const rows = [
    [`alias nodewright=${shellWord(program, home)}`, ''],
    ...(otherContext === undefined
      ? []
      : [
          [
            `nodewright talosctl config context ${plainOrQuoted(otherContext)}`,
            'call this cluster: the current context is of another',
          ] as const,
        ]),
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

const isPlain = (text: string) => /^[\w@%+=:,./-]+$/.test(text);
const plainOrQuoted = (text: string) => (isPlain(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function shellWord(path: string, home: string): string {
  if (!isPlain(path)) return `"${plainOrQuoted(path)}"`;
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path;
}
