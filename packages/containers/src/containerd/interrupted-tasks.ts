import { readdir, readlink, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pauseBy, type Timers } from '@nodewright/async';

/** Where containerd keeps the folders of tasks: `<namespace>/<id>` below it. Source: containerd, runtime v2. */
const tasksFolder = 'io.containerd.runtime.v2.task';
/** A shim writes this file before it calls runc. Without it containerd cannot clean up. Source: containerd, issue 11071. */
const runtimeFile = 'runtime';
/** A killed process is gone at once, unless it waits for a disk. */
const killMs = 5_000;
const pauseMs = 20;

/**
 * Removes the folders of tasks whose creation ended with containerd before anything was started in them. The next containerd fails to
 * clean up such a folder and leaves it, and then no container with this id can be started: `mkdir …: file exists`. Shims of such
 * tasks are killed. Everything else is left to containerd. Call it before each start of containerd, and only while none runs on this
 * folder.
 *
 * @param stateFolder the setting `state` of containerd
 * @returns `<namespace>/<id>` of what was removed
 */
export async function removeInterruptedTasks(
  stateFolder: string,
  timers: Timers,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const end = (folder: string) => endProcessesIn(folder, timers, signal);
  const removed: string[] = [];
  const tasks = join(stateFolder, tasksFolder);
  for (const namespace of await namesIn(tasks))
    for (const id of await namesIn(join(tasks, namespace)))
      if (!signal.aborted && (await isRemoved(join(tasks, namespace), id, end)))
        removed.push(`${namespace}/${id}`);
  return removed;
}

async function isRemoved(
  tasks: string,
  id: string,
  endProcesses: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  const folder = join(tasks, id);
  if (!(await isBeforeStart(folder))) return false;
  if (!(await endProcesses(folder))) return false;
  // The shim may have gone on until it was killed.
  if (!(await isBeforeStart(folder))) return false;
  // `rmdir` refuses a root that is mounted or has something in it.
  if (!(await isEmptyFolderRemoved(join(folder, 'rootfs')))) return false;
  // Under a name that containerd passes over, in case this is interrupted, too.
  const hidden = join(tasks, `.${id}`);
  await rm(hidden, { recursive: true, force: true });
  await rename(folder, hidden);
  await rm(hidden, { recursive: true });
  return true;
}

/** containerd removes an empty folder itself. */
async function isBeforeStart(folder: string): Promise<boolean> {
  const names = await namesIn(folder);
  return names.length > 0 && !names.includes(runtimeFile);
}

/** Shims have the folder of their task as working directory. @returns whether all have ended */
async function endProcessesIn(folder: string, timers: Timers, signal: AbortSignal): Promise<boolean> {
  const end = timers.monotonicMs() + killMs;
  for (;;) {
    const pids = await processesIn(folder);
    if (pids.length === 0) return true;
    if (signal.aborted || timers.monotonicMs() > end) return false;
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    await pauseBy(timers, pauseMs, signal);
  }
}

async function processesIn(folder: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === folder),
  );
  return pids.filter((_, index) => found[index]);
}

/**
 * The names in a folder. The list is empty when the path does not exist or is a file. Names that begin with a dot are left out, because
 * containerd passes over them, too.
 */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** @returns false when it is in use, or no folder */
async function isEmptyFolderRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    if (hasCode(error, 'EBUSY', 'ENOTDIR', 'ENOTEMPTY')) return false;
    throw error;
  }
}

const hasCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');
