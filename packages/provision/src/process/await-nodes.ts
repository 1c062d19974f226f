import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@nodewright/async';
import { nodePaths, ports } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { awaitAnswers, type Creation } from '../cluster/creation.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** A node that died this often does not come up by waiting. */
const hopelessRestarts = 2;

/**
 * Resolves when every node answers: control planes on their own addresses, workers through the first control plane,
 * as workers do not forward. A node that was reset has nothing to be asked with: it waits for a configuration.
 */
export async function awaitNodes(
  creation: Creation,
  state: ClusterState,
  talosconfig: string,
): Promise<void> {
  const { folder, progress } = creation;
  const isWiped = (name: string) => !existsSync(join(folder.nodeRoot(name), nodePaths.machineConfig));
  const wiped = state.nodes.filter(({ name }) => isWiped(name));
  if (wiped.length > 0) {
    const names = wiped.map(({ name, address }) => `${name} (${address})`).join(', ');
    progress.note(`waiting for a machine configuration since it was reset: ${names}`);
  }
  const awaited = state.nodes.filter((node) => !wiped.includes(node));
  const first = awaited.find(({ type }) => type === 'controlplane')?.address;
  if (first === undefined) return;
  await awaitAnswers(creation, talosconfig, {
    nodes: awaited.map(({ name, type, address }) => ({
      name,
      address,
      endpoint: type === 'controlplane' ? address : first,
      isDirect: type === 'controlplane',
      listener: { host: address, port: ports.apid },
      log: folder.nodeLog(name),
    })),
    watch: (signal) => watchForHopelessNode(folder, state, signal),
  });
}

async function watchForHopelessNode(
  folder: ClusterFolder,
  state: ClusterState,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  while (!signal.aborted) {
    await pause(500, signal);
    if (signal.aborted) break;
    const owner = await askSupervisor(folder, state);
    if (owner === undefined) {
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
