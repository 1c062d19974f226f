import { readFile, statfs } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import type { ClusterShape } from '../domain/cluster-shape.ts';
import { diskProblem } from '../domain/kubernetes-disk.ts';
import { containerMemory, memoryProblem } from '../domain/kubernetes-memory.ts';
import type { TryDocker } from '../engine/index.ts';

/**
 * Checks that this machine has the memory and the disk space for Kubernetes on containers. What it cannot find out, such as the disk
 * of an engine on another machine, decides nothing.
 *
 * @throws Fault `resource-exhausted` with the figures
 */
export async function requireRoom(shape: ClusterShape, ask: TryDocker): Promise<void> {
  const meminfo = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const { stdout } = await ask(['info', '--format', '{{.DockerRootDir}}']);
  const disk = await statfs(stdout.trim()).catch(() => undefined);
  const problem =
    memoryProblem(shape, containerMemory, meminfo) ??
    (disk === undefined ? undefined : diskProblem(shape, disk.bavail * disk.bsize));
  if (problem !== undefined) throw new Fault('resource-exhausted', problem);
}
