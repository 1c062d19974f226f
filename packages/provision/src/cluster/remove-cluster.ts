import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { type ClusterFolder, isClusterEntry } from './cluster-folder.ts';
import { killClusterProcesses, readLivePid, sendSignal } from './cluster-processes.ts';

/** Short, because the data is deleted anyway: a process that has not stopped by then is killed. */
const gracefulStopTimeoutMs = 5_000;
const killTimeoutMs = 5_000;

/**
 * With `graceful`, asks the supervisor to stop and waits for up to `timeoutMs` milliseconds. Then kills all
 * processes that are left. Throws a Fault when a process cannot be killed.
 */
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
  throw new Fault('internal', `cannot kill the processes with pid ${pids}`);
}

/**
 * Removes a cluster's folder, `state.yaml` last, so that an interrupted removal can be repeated. Removes
 * nothing if the folder has a file that does not belong to a cluster.
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
