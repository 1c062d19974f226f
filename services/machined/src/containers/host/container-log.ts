import type { ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import {
  type ContainerSelection,
  isOfKubernetes,
  requireContainer,
  selectNamespace,
} from '../domain/container-selection.ts';

export interface ContainerLogRequest extends ContainerSelection {
  readonly id: string;
  readonly follow: boolean;
  /** How many of the last lines to return; all lines when negative. */
  readonly tailLines: number;
}

/**
 * Reads the log of a container from its runtime.
 *
 * @param hasKubelet whether a kubelet runs pods on this node; their logs are its own files
 * @throws Fault when the node has no runtime or no such container, `unimplemented` for a pod of a kubelet
 */
export async function* readContainerLog(
  { runtime, hasKubelet }: { readonly runtime: ContainerRuntime | undefined; readonly hasKubelet: boolean },
  request: ContainerLogRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  if (runtime === undefined)
    throw new Fault('unknown', `container "${request.id}" not found: no container runtime runs on this node`);
  if (hasKubelet && isOfKubernetes(request))
    throw new Fault('unimplemented', 'logs of pods are not implemented: use kubectl logs');
  const { containers } = runtime.namespace(selectNamespace(request, hasKubelet));
  const { id } = requireContainer(await containers.list({ signal }), request.id);
  const { follow, tailLines } = request;
  const tail = tailLines < 0 ? {} : { tailLines };
  for await (const piece of containers.logs(id, { follow, signal, ...tail }))
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
