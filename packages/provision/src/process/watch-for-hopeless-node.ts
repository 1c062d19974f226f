import { readFile } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import { Fault, firstErrorLine } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** How much of a log is searched for the reason. */
const lookBackCharacters = 65_536;

/** A node that was restarted this often is not expected to recover. */
const hopelessRestarts = 2;

/**
 * Resolves to the reason why waiting is pointless, or to `undefined` when the signal is aborted.
 *
 * @param onOff called when a node is off, as one that was still going down when the cluster was to start
 */
export async function watchForHopelessNode(
  folder: ClusterFolder,
  state: ClusterState,
  signal: AbortSignal,
  onOff: () => Promise<void>,
): Promise<Fault | undefined> {
  while (!signal.aborted) {
    await pause(500, signal);
    if (signal.aborted) break;
    const owner = await askSupervisor(folder, state);
    if (owner === undefined) {
      return new Fault('unavailable', `the supervisor has ended: see ${folder.supervisorLog}`);
    }
    const node = owner.nodes.find(({ restarts }) => restarts >= hopelessRestarts);
    if (node === undefined) {
      if (owner.nodes.some((each) => each.state === 'off')) await onOff();
      continue;
    }
    const log = folder.nodeLog(node.name);
    const text = await reasonIn(log);
    return new Fault(
      'unavailable',
      `${node.name} keeps exiting (${node.lastExit ?? 'unknown'}): ${text} (log: ${log})`,
    );
  }
  return undefined;
}

/** The first error of the last start, such as that of a full disk; else the last line. */
async function reasonIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const end = text.slice(-lookBackCharacters).trimEnd();
  return firstErrorLine(end) ?? (end.split('\n').at(-1) || 'it printed nothing');
}
