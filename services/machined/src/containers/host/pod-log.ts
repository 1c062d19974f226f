import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerInfo } from '@nodewright/containers';
import { readLog } from '@nodewright/containers/log-file';
import { Fault, faultFrom } from '@nodewright/fault';
import { podLogFolder } from '../domain/pod-log-folder.ts';

export interface PodLogRequest {
  /** Folder of the logs of all pods. */
  readonly folder: string;
  readonly container: Pick<ContainerInfo, 'id' | 'labels'>;
  /** Resolves when the container has ended; without it only what is there is read. */
  readonly ended?: () => Promise<void>;
  /** How many of the last lines to return; all lines when negative. */
  readonly tailLines: number;
}

/**
 * Reads what a container of a pod has written since its latest start. Each line begins with its time and its stream. Source:
 * Kubernetes: CRI logging.
 *
 * @throws Fault `failed-precondition` for the sandbox of a pod, `not-found` when the container has written no log
 */
export async function* readPodLog(
  { folder, container, ended, tailLines }: PodLogRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const below = podLogFolder(container);
  if (below === undefined)
    throw new Fault('failed-precondition', 'this is a pod and no container: name one of its containers');
  const path = await latestLog(join(folder, below), container.id);
  yield* readLog({
    ...{ path, signal },
    ...(tailLines >= 0 && { tailLines }),
    ...(ended && { ended: ended() }),
  });
}

/** The kubelet counts the starts of a container: `0.log`, `1.log` and so on. Rotated files have more in their names. */
async function latestLog(folder: string, id: string): Promise<string> {
  const names = await readdir(folder).catch((error) => {
    if (faultFrom(error).kind === 'not-found') return [];
    throw error;
  });
  const starts = names.flatMap((name) => /^(\d{1,9})\.log$/.exec(name)?.[1] ?? []).map(Number);
  if (starts.length === 0) throw new Fault('not-found', `container "${id}" has written no log`);
  return join(folder, `${Math.max(...starts)}.log`);
}
