import type { ContainerRuntime } from '@nodewright/containers';
import type { LogsRequest, MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { requireContainer, selectNamespace } from '../containers/domain/container-selection.ts';
import { logSourceOf } from '../domain/log-source.ts';
import type { LogStore } from '../host/log-store.ts';
import { fileChunks } from './file-chunks.ts';

/** The size of a message of the log stream. Source: Talos v1.14: Logs. */
const chunkBytes = 1024;

/**
 * Logs and LogsContainers: the logs of the node's own daemons, from memory, and those of containers, from their runtime.
 *
 * @param neighbours gives the daemons that run in containers of their own. Where they share no log, only their engine has it.
 * @param stopSignal ends the streams that follow when the node stops.
 */
export function createLogs(
  store: LogStore,
  neighbours: () => readonly string[],
  stopSignal: AbortSignal,
  runtime: ContainerRuntime | undefined,
): Pick<MachineServiceImplementation, 'logs' | 'logsContainers'> {
  return {
    async *logs(request, context) {
      const signal = AbortSignal.any([context.signal, stopSignal]);
      if (logSourceOf(request) === 'container') {
        for await (const bytes of containerLog(runtime, request, signal)) yield { bytes };
        return;
      }
      const { id, follow, tailLines } = request;
      if (neighbours().includes(id) && !store.ids.includes(id)) {
        throw new Fault(
          'failed-precondition',
          `the log of "${id}" is kept by its container: docker compose logs`,
        );
      }
      for await (const bytes of store.read({ id, follow, tailLines, signal }, chunkBytes)) yield { bytes };
    },
    async logsContainers() {
      return { messages: [{ ids: store.ids }] };
    },
  };
}

async function* containerLog(
  runtime: ContainerRuntime | undefined,
  request: LogsRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  if (runtime === undefined)
    throw new Fault('unknown', `container "${request.id}" not found: no container runtime runs on this node`);
  const { containers } = runtime.namespace(selectNamespace(request));
  const { id } = requireContainer(await containers.list({ signal }), request.id);
  const { follow, tailLines } = request;
  const tail = tailLines < 0 ? {} : { tailLines };
  for await (const piece of containers.logs(id, { follow, signal, ...tail }))
    for (const { bytes } of fileChunks(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)))
      yield bytes;
}
