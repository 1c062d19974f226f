import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Fault } from '@nodewright/fault';
import { locateCluster, readCluster } from '../cluster/read-cluster.ts';
import type { ClusterRef, LogLine, LogRequest } from '../provisioner.ts';
import { requireEngine } from './engine.ts';
import { endGroup } from './run-docker.ts';
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
  const child = spawn(
    'docker',
    [
      ...composeWords(folder, state.name),
      ...['logs', '--no-color', ...(follow ? ['--follow'] : []), ...services],
    ],
    // A group of its own: compose is a program that `docker` starts, and it has to end with it.
    { env: engine.environment, stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  );
  const stop = () => {
    // One that a signal has ended has no exit code.
    if (child.exitCode === null && child.signalCode === null) endGroup(child.pid);
  };
  child.on('error', () => {});
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const parsed = parseLogLine(line);
      if (parsed !== undefined) yield parsed;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
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
