import type { ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import {
  type ContainerSelection,
  isOfKubernetes,
  requireContainer,
  selectNamespace,
} from '../domain/container-selection.ts';
import { readPodLog } from './pod-log.ts';

export interface ContainerLogRequest extends ContainerSelection {
  readonly id: string;
  readonly follow: boolean;
  /** How many of the last lines to return; all lines when negative. */
  readonly tailLines: number;
}

export interface ContainerLogSources {
  readonly runtime: ContainerRuntime | undefined;
  /** Folder of the logs of pods, which the runtime writes for the kubelet; `undefined` on a node without a kubelet. */
  readonly podLogs: string | undefined;
}

/**
 * Reads the log of a container: from its runtime, or from the files of a pod.
 *
 * @throws Fault when the node has no runtime or no such container
 */
export async function* readContainerLog(
  { runtime, podLogs }: ContainerLogSources,
  request: ContainerLogRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  if (podLogs === undefined && isOfKubernetes(request))
    throw new Fault('unknown', `container "${request.id}" not found: no CRI runs on this node`);
  if (runtime === undefined)
    throw new Fault('unknown', `container "${request.id}" not found: no container runtime runs on this node`);
  const { containers } = runtime.namespace(selectNamespace(request, podLogs !== undefined));
  const container = requireContainer(await containers.list({ signal }), request.id);
  const { follow, tailLines } = request;
  const tail = tailLines < 0 ? {} : { tailLines };
  const ofPod = podLogs !== undefined && isOfKubernetes(request);
  const ended = async () => {
    await containers.wait(container.id, { signal });
  };
  const pieces = ofPod
    ? readPodLog({ folder: podLogs, container, tailLines, ...(follow && { ended }) }, signal)
    : containers.logs(container.id, { follow, signal, ...tail });
  for await (const piece of pieces) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
