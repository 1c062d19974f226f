import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterFolder, clusterFolder } from '../cluster/cluster-folder.ts';
import { clusterVariable } from '../domain/owned-process.ts';

/** A cluster's folder that names a process as its supervisor, which does nothing. */
export interface RecordedSupervisor extends AsyncDisposable {
  readonly folder: ClusterFolder;
  readonly pid: number;
}

/** Makes a folder for a cluster, and starts a process that belongs to it. Disposing it ends the process and removes the folder. */
export async function recordTestSupervisor(): Promise<RecordedSupervisor> {
  const folder = clusterFolder(mkdtempSync(join(tmpdir(), 'recorded-')));
  const child = spawn('sleep', ['600'], { env: { ...process.env, [clusterVariable]: folder.path } });
  await once(child, 'spawn');
  const { pid = 0 } = child;
  writeFileSync(folder.supervisorPid, `${pid}\n`);
  return {
    ...{ folder, pid },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder.path, { recursive: true });
    },
  };
}
