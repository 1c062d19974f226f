import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { Engine } from '../engine/index.ts';
import type { LogLine, LogRequest } from '../provisioner.ts';

/**
 * What the daemons of these nodes printed, and what they print from now on when followed, across restarts. Ends when
 * the signal is aborted.
 *
 * @param compose the first words of a compose command for the cluster
 */
export async function* stackLogs(
  engine: Engine,
  compose: readonly string[],
  nodes: readonly PlannedNode[],
  { follow, signal }: Pick<LogRequest, 'follow' | 'signal'>,
): AsyncGenerator<LogLine> {
  const services = nodes.flatMap(({ name, type }) =>
    type === 'controlplane' ? [name, `${name}-apid`, `${name}-trustd`] : [name, `${name}-apid`],
  );
  const words = ['logs', '--no-color', ...(follow ? ['--follow'] : []), ...services];
  for await (const line of engine.lines([...compose, ...words], signal)) {
    const parsed = parseLogLine(line);
    if (parsed !== undefined) yield parsed;
  }
}

/** The escape sequence that clears a line. Compose writes it before each line, even to a file. */
const eraseLine = '\u001b[2K';

/** A line of compose, `node01-apid-1  | text`, as one of its node. Compose's own remarks are none. */
export function parseLogLine(line: string): LogLine | undefined {
  const plain = line.replace(eraseLine, '');
  const [, node, text] = /^(node\d+)(?:-[a-z]+)?-\d+ +\| (.*)$/.exec(plain) ?? [];
  return node === undefined || text === undefined ? undefined : { node, text };
}
