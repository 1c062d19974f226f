/** What a user may do with a cluster that `make up` has started, one command per line. Ends with a newline. */
export function nextSteps({
  name,
  workers,
  controlplanes,
  kubernetes,
}: {
  readonly name: string;
  readonly controlplanes: string;
  readonly workers: string;
  readonly kubernetes: boolean;
}): string {
  const count = Number(controlplanes) + Number(workers);
  const nodes = Array.from({ length: count }, (_, at) => `node${String(at + 1).padStart(2, '0')}`);
  // The first lines of a long list of nodes would be longer than the terminal.
  const shown = nodes.slice(0, 4).join(',');
  const down = name === 'talos-default' ? 'make down' : `make down cluster=${name}`;
  const rows = [
    [`bin/talosctl -n ${shown} memory`, 'ask the nodes'],
    ['bin/talosctl ui', 'the cluster in your browser'],
    ['bin/talosctl dashboard', 'the same on this terminal'],
    ['bin/talosctl -n node01 health', 'check it'],
    ...(kubernetes ? [['bin/talosctl -n node01 kubeconfig', 'then use kubectl']] : []),
    [down, 'remove it'],
  ] as const;
  const width = Math.max(...rows.map(([command]) => command.length));
  return `\nNext:\n${rows.map(([command, text]) => `  ${command.padEnd(width)}   # ${text}\n`).join('')}`;
}
