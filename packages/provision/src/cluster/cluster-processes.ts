import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOwnedBy } from '../domain/owned-process.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { type ProcessFacts, readAncestors, readProcess, readProcesses } from './read-process.ts';

/**
 * Returns every running process of the cluster: supervisor, machineds and their children. Leaves out this one and those that started
 * it: a program such as `timeout` or `sudo`, under which a user starts a supervisor, has the supervisor's arguments among its own.
 */
export function findClusterProcesses(folder: ClusterFolder): ProcessFacts[] {
  const groups = new Set(recordedGroups(folder));
  const own = readAncestors().add(process.pid);
  return readProcesses().filter((it) => !own.has(it.pid) && isOwnedBy(folder.path, it, groups));
}

/** Returns the pid in a pid file, if a process of this cluster has that pid. */
export function readLivePid(folder: ClusterFolder, pidFile: string): number | undefined {
  const pid = readPid(pidFile);
  const facts = pid === undefined ? undefined : readProcess(pid);
  return facts !== undefined && isOwnedBy(folder.path, facts, new Set()) ? pid : undefined;
}

/**
 * Kills the processes of the cluster and waits until they have ended. Searches repeatedly, because a
 * supervisor can start new processes until it is dead. Resolves to the processes that still exist after
 * `timeoutMs`.
 */
export async function killClusterProcesses(
  folder: ClusterFolder,
  timeoutMs: number,
): Promise<ProcessFacts[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = findClusterProcesses(folder);
    if (found.length === 0 || performance.now() > deadline) return found;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
    await sleep(20);
  }
}

/** Sends a signal to a process or, for a negative number, to a process group. Ignores one that has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function recordedGroups(folder: ClusterFolder): number[] {
  let nodes: string[];
  try {
    nodes = readdirSync(folder.nodes);
  } catch {
    return [];
  }
  return nodes.map((node) => readPid(folder.nodePid(node))).filter((pid) => pid !== undefined);
}

/** Returns `undefined` when the file does not exist or has no pid. */
function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}
