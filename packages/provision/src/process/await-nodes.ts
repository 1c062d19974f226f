import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { awaitAnswers, type Creation } from '../cluster/creation.ts';
import { askOwner } from '../cluster/owner-socket.ts';
import { claimOwnerFromJson } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { ClusterState } from '../domain/cluster-state.ts';

/** A node that died this often does not come up by waiting. */
const hopelessRestarts = 2;

/**
 * Resolves when every node answers: control planes on their own addresses, workers through the first control plane,
 * as workers do not forward.
 */
export async function awaitNodes(
  creation: Creation,
  state: ClusterState,
  talosconfig: string,
): Promise<void> {
  const { folder } = creation;
  const first = state.nodes[0]?.address ?? '';
  await awaitAnswers(creation, talosconfig, {
    nodes: state.nodes.map(({ name, type, address }) => ({
      name,
      address,
      endpoint: type === 'controlplane' ? address : first,
      isDirect: type === 'controlplane',
      listener: { host: address, port: ports.apid },
      log: folder.nodeLog(name),
    })),
    watch: (signal) => watchForHopelessNode(folder, state.network?.gateway ?? '', signal),
  });
}

async function watchForHopelessNode(
  folder: ClusterFolder,
  gateway: string,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  while (!signal.aborted) {
    await sleep(500, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const owner = claimOwnerFromJson(await askOwner({ host: gateway, port: clusterPorts.claim }));
    if (owner === undefined || owner.folder !== folder.path) {
      return new Fault('unavailable', `the supervisor is gone: see ${folder.supervisorLog}`);
    }
    const node = owner.nodes.find(({ restarts }) => restarts >= hopelessRestarts);
    if (node === undefined) continue;
    const log = folder.nodeLog(node.name);
    const said = await lastLine(log);
    return new Fault(
      'unavailable',
      `${node.name} keeps dying (${node.lastExit ?? 'unknown'}): ${said} (log: ${log})`,
    );
  }
  return undefined;
}

async function lastLine(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').at(-1) || 'it says nothing';
}
