import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder with the files of an engine that this project starts. */
export interface EngineFolder {
  readonly path: string;
  /** Images and volumes; kept for the next start. */
  readonly data: string;
  readonly state: string;
  readonly pid: string;
  readonly log: string;
}

export function engineFolder(path: string): EngineFolder {
  const absolute = resolve(path);
  return {
    path: absolute,
    data: join(absolute, 'data'),
    state: join(absolute, 'exec'),
    pid: join(absolute, 'dockerd.pid'),
    log: join(absolute, 'dockerd.log'),
  };
}

/**
 * Pid of the engine that was started for this folder. A pid that now belongs to another program does not
 * count.
 */
export function engineProcess(folder: EngineFolder): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(folder.pid, 'utf8'), 10);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return command.includes(folder.data) ? pid : undefined;
  } catch {
    return undefined;
  }
}
