import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineFolder, engineProcess } from './engine-folder.ts';

/** The engine first stops its containers, each of which has a stop timeout of its own. */
const stopTimeoutMs = 60_000;

/** Stops the engine that was started for this folder, with its containers. Its images stay. */
export async function stopEngine(folder: EngineFolder): Promise<string> {
  const pid = engineProcess(folder);
  if (pid === undefined) return `none was started in ${folder.path}`;
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + stopTimeoutMs;
  // Wait for the process, not for its pid file: dockerd removes the file before it unmounts.
  while (isAlive(pid)) {
    if (performance.now() > deadline)
      throw new Error(`dockerd, pid ${pid}, does not end; its log is ${folder.log}`);
    await sleep(100);
  }
  unmountBelow(folder.path);
  return `dockerd, pid ${pid}, has ended`;
}

/**
 * Where `/` is not a shared mount, the engine bind-mounts its data folder on itself and leaves that mount
 * behind.
 */
function unmountBelow(path: string): void {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${path}/`));
  for (const point of points.reverse()) spawnSync('umount', [point]);
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has already released its files and mounts.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
