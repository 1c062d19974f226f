import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOwnedBy } from '../domain/owned-process.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { type ProcessFacts, readProcess, readProcesses } from './read-process.ts';

/** Every running process that belongs to the cluster: its supervisor, machineds and their children. Not this one. */
export function findClusterProcesses(folder: ClusterFolder): ProcessFacts[] {
  const groups = new Set(recordedGroups(folder));
  return readProcesses().filter((it) => it.pid !== process.pid && isOwnedBy(folder.path, it, groups));
}

/** The pid in a pid file, if a process of this cluster really has it now. */
export function readLivePid(folder: ClusterFolder, pidFile: string): number | undefined {
  const pid = readPid(pidFile);
  const facts = pid === undefined ? undefined : readProcess(pid);
  return facts !== undefined && isOwnedBy(folder.path, facts, new Set()) ? pid : undefined;
}

/**
 * Ends what runs of the cluster without asking, and waits until it is gone. New processes may appear while it looks,
 * as long as a supervisor lives: therefore it looks again. Resolves to what is still there after `timeoutMs`.
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

/** Sends a signal to a process (or, negative, a group). A receiver that is gone already is fine. */
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

/** Undefined when there is no such file or it holds no pid. */
function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}
