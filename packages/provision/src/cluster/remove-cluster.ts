import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { type ClusterFolder, isClusterEntry } from './cluster-folder.ts';
import { killClusterProcesses, readLivePid, sendSignal } from './cluster-processes.ts';

/** Nothing of the cluster is kept: what has not stopped by then is ended. */
const gracefulStopTimeoutMs = 5_000;
const killTimeoutMs = 5_000;

/** Lets the supervisor stop first if `graceful`, for `timeoutMs` milliseconds at most, then ends whatever is left. Throws when something cannot be ended. */
export async function stopProcesses(
  folder: ClusterFolder,
  {
    graceful,
    timeoutMs = gracefulStopTimeoutMs,
  }: { readonly graceful: boolean; readonly timeoutMs?: number },
): Promise<void> {
  const supervisorPid = readLivePid(folder, folder.supervisorPid);
  if (supervisorPid !== undefined && graceful) {
    sendSignal(supervisorPid, 'SIGTERM');
    const deadline = performance.now() + timeoutMs;
    while (readLivePid(folder, folder.supervisorPid) !== undefined && performance.now() < deadline)
      await sleep(20);
  }
  const left = await killClusterProcesses(folder, killTimeoutMs);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  throw new Fault('internal', `processes that cannot be ended: pid ${pids}`);
}

/**
 * Removes a cluster's folder. `state.yaml` goes last: an interrupted removal leaves something that can be destroyed
 * again. A folder with anything in it that is not ours is left as it is.
 */
export async function removeClusterFolder(folder: ClusterFolder): Promise<void> {
  const entries = await readdir(folder.path);
  const foreign = entries.find((entry) => !isClusterEntry(entry));
  if (foreign !== undefined) {
    throw new Fault(
      'failed-precondition',
      `${join(folder.path, foreign)} is not part of a cluster: move it away first`,
    );
  }
  const rest = entries.map((entry) => join(folder.path, entry)).filter((path) => path !== folder.state);
  await Promise.all(rest.map((path) => rm(path, { recursive: true, force: true })));
  await rm(folder.state, { force: true });
  await rmdir(folder.path);
}
