import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { StackState } from '../domain/cluster-state.ts';
import type { LogLine, LogRequest } from '../domain/provisioner.ts';
import type { Engine } from '../engine/index.ts';

/**
 * Yields the output of the daemons of these nodes and, with `follow`, later output, across restarts, until
 * the signal is aborted.
 *
 * @param compose the first arguments of each compose command for the cluster
 * @param services those of the nodes
 */
export async function* stackLogs(
  engine: Engine,
  compose: readonly string[],
  services: readonly string[],
  { follow, signal }: Pick<LogRequest, 'follow' | 'signal'>,
): AsyncGenerator<LogLine> {
  const words = ['logs', '--no-color', ...(follow ? ['--follow'] : []), ...services];
  for await (const line of engine.lines([...compose, ...words], signal)) {
    const parsed = parseLogLine(line);
    if (parsed !== undefined) yield parsed;
  }
}

/** The services of the nodes with the daemons of the suite. */
export function stackServices(nodes: readonly PlannedNode[], stack: StackState | undefined): string[] {
  if (stack?.nodeImage !== undefined) return nodes.map(({ name }) => name);
  return nodes.flatMap(({ name, type }) => [
    ...[name, `${name}-apid`, `${name}-udevd-bridge`],
    ...(type === 'controlplane' ? [`${name}-trustd`] : []),
    `${name}-registryd`,
  ]);
}

/** The escape sequence that clears a line. Compose writes it before each line, even to a file. */
const eraseLine = '\u001b[2K';

/**
 * Parses a line of compose, such as `node01-apid-1 | text`. Returns `undefined` for compose's own messages.
 */
export function parseLogLine(line: string): LogLine | undefined {
  const plain = line.replace(eraseLine, '');
  const [, node, text] = /^(node\d+)(?:-[a-z-]+)?-\d+ +\| (.*)$/.exec(plain) ?? [];
  return node === undefined || text === undefined ? undefined : { node, text };
}
