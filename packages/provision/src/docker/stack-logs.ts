import { Fault } from '@nodewright/fault';
import { locateCluster, readCluster } from '../cluster/read-cluster.ts';
import { requireEngine } from '../engine/index.ts';
import type { ClusterRef, LogLine, LogRequest } from '../provisioner.ts';
import { composeWords, engineOf, type StackEngineInit } from './stack-engine.ts';

/**
 * What the daemons of a cluster's nodes printed, and what they print from now on when followed, across restarts. Ends
 * when the signal is aborted. Source: Talos v1.14: cluster logs.
 */
export async function* stackLogs(
  ref: ClusterRef,
  { node, follow, signal }: LogRequest,
  init: StackEngineInit,
): AsyncGenerator<LogLine> {
  const folder = await locateCluster(ref, { make: false });
  const { state } = await readCluster(ref, folder);
  const nodes = state.nodes.filter(({ name }) => node === undefined || name === node);
  if (nodes.length === 0) {
    const known = state.nodes.map(({ name }) => name).join(', ');
    throw new Fault('not-found', `cluster "${ref.name}" has no node "${node}": it has ${known}`);
  }
  const engine = engineOf(folder, state, init);
  await requireEngine(engine);
  const services = nodes.flatMap(({ name, type }) =>
    type === 'controlplane' ? [name, `${name}-apid`, `${name}-trustd`] : [name, `${name}-apid`],
  );
  const words = ['logs', '--no-color', ...(follow ? ['--follow'] : []), ...services];
  for await (const line of engine.lines([...composeWords(folder, state.name), ...words], signal)) {
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
