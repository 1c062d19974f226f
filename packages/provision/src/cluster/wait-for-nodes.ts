import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { claimOwnerFromJson } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { askOwner } from './owner-socket.ts';

/** Asks nodes for their version as a client does. */
export interface NodeProbe extends AsyncDisposable {
  /** Throws when `node` does not answer through the apid at `endpoint` (an address). */
  version(endpoint: string, node: PlannedNode, signal: AbortSignal): Promise<void>;
}

export interface NodeWait {
  readonly folder: ClusterFolder;
  readonly nodes: readonly PlannedNode[];
  readonly gateway: string;
  readonly probe: NodeProbe;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 25;
const attemptTimeoutMs = 5_000;
/** A node that died this often does not come up by waiting. */
const hopelessRestarts = 2;

/**
 * Resolves when every node answers: control planes on their own addresses, workers through the first control plane,
 * as workers do not forward. Throws a Fault that names the nodes that do not, and the logs that say why.
 */
export async function waitForNodes(wait: NodeWait): Promise<void> {
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([wait.signal, gaveUp.signal]);
  const timer = setTimeout(() => gaveUp.abort(), wait.timeoutMs);
  const reasons = new Map<string, string>();
  const hopeless = watchForHopelessNode(wait, signal).then((reason) => {
    if (reason !== undefined) gaveUp.abort(reason);
  });
  try {
    const first = wait.nodes[0]?.address ?? '';
    await Promise.all(
      wait.nodes.map(async (node) => {
        const endpoint = node.type === 'controlplane' ? node.address : first;
        await waitForNode(wait.probe, endpoint, node, signal, (reason) => reasons.set(node.name, reason));
        reasons.delete(node.name);
      }),
    );
  } catch (error) {
    wait.signal.throwIfAborted();
    if (gaveUp.signal.reason instanceof Fault) throw gaveUp.signal.reason;
    if (!gaveUp.signal.aborted) throw error;
    const [[name, reason] = ['a node', 'no answer']] = reasons;
    const names = [...reasons.keys()].join(', ');
    throw new Fault(
      'deadline-exceeded',
      `no answer from ${names} within ${wait.timeoutMs / 1000}s; ${name}: ${reason} (log: ${wait.folder.nodeLog(name)})`,
    );
  } finally {
    clearTimeout(timer);
    gaveUp.abort();
    await hopeless;
  }
}

async function waitForNode(
  probe: NodeProbe,
  endpoint: string,
  node: PlannedNode,
  signal: AbortSignal,
  tell: (reason: string) => void,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    // A bare connection costs nothing while nobody listens; a client would back off for seconds.
    if (await accepts(node.address)) {
      try {
        const attempt = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
        return await probe.version(endpoint, node, attempt);
      } catch (error) {
        tell(faultFrom(error).message);
      }
    } else {
      tell(`nothing listens on ${node.address}:${ports.apid}`);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

function accepts(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: ports.apid });
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

/** Resolves to why waiting is of no use, or to undefined when the signal is aborted. */
async function watchForHopelessNode(wait: NodeWait, signal: AbortSignal): Promise<Fault | undefined> {
  while (!signal.aborted) {
    await sleep(500, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const owner = claimOwnerFromJson(await askOwner({ host: wait.gateway, port: clusterPorts.claim }));
    if (owner === undefined || owner.folder !== wait.folder.path) {
      return new Fault('unavailable', `the supervisor is gone: see ${wait.folder.supervisorLog}`);
    }
    const node = owner.nodes.find(({ restarts }) => restarts >= hopelessRestarts);
    if (node === undefined) continue;
    const log = wait.folder.nodeLog(node.name);
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
