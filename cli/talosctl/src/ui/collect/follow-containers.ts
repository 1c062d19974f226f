import { faultFrom } from '@nodewright/fault';
import { containerInstance, sortedById } from '../../nodes/container-instance.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { plainError } from '../../render/plain-error.ts';
import { limits } from '../domain/limits.ts';
import type { ContainerList } from '../protocol/messages.ts';
import { type PageFeedContext, readAtIntervals } from './page-feed-context.ts';

/** No watch reports containers. */
const intervalMs = 5000;

/** Reads the containers of Kubernetes and of the system. Each list has its own problem: a node may be able to answer for one only. */
export function followContainers(context: PageFeedContext): Promise<void> {
  return readAtIntervals(context, intervalMs, async (signal) => {
    const [kubernetes, system] = await Promise.all(
      [true, false].map((isKubernetes) => readContainers(context, isKubernetes, signal)),
    );
    return { kind: 'containers', kubernetes: kubernetes as ContainerList, system: system as ContainerList };
  });
}

async function readContainers(
  { node: { machine } }: PageFeedContext,
  kubernetes: boolean,
  signal: AbortSignal,
): Promise<ContainerList> {
  try {
    const reply = await machine.containers(containerInstance({ kubernetes }), { signal });
    const { containers } = onlyMessage(reply);
    return {
      count: containers.length,
      containers: sortedById(containers)
        .slice(0, limits.containers)
        .map(({ id, podId, image, pid, status }) => ({ id, isPod: id === podId, image, pid, state: status })),
    };
  } catch (error) {
    return { count: 0, containers: [], problem: plainError(faultFrom(error).message) };
  }
}
