import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineFolder, engineProcess } from './engine-folder.ts';

/** An engine first stops its containers, each of which has its own time to end. */
const stopTimeoutMs = 60_000;

/** Ends the engine that was started for this folder, and with it its containers. Its images stay. */
export async function stopEngine(folder: EngineFolder): Promise<string> {
  const pid = engineProcess(folder);
  if (pid === undefined) return `none was started in ${folder.path}`;
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + stopTimeoutMs;
  // Not until its pid file is gone: it lets go of its mounts after that.
  while (isAlive(pid)) {
    if (performance.now() > deadline)
      throw new Error(`dockerd, pid ${pid}, does not end; its log is ${folder.log}`);
    await sleep(100);
  }
  unmountBelow(folder.path);
  return `dockerd, pid ${pid}, has ended`;
}

/** Where the root of the machine is no shared mount, an engine mounts its data over itself, and leaves that behind. */
function unmountBelow(path: string): void {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${path}/`));
  for (const point of points.reverse()) spawnSync('umount', [point]);
}

function isAlive(pid: number): boolean {
  try {
    // What has ended and waits for its parent has let go of everything.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
