import type { LogsRequest, MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import { logSourceOf } from '../domain/log-source.ts';
import type { LogStore } from '../host/log-store.ts';

/** The size of a message of the log stream. Source: Talos v1.14: Logs. */
const chunkBytes = 1024;

export interface LogsInit {
  readonly store: LogStore;
  /** Reads the log of a container. @throws Fault when there is no such container */
  readonly readContainerLog: (request: LogsRequest, signal: AbortSignal) => AsyncIterable<Buffer>;
  /** The daemons that run in containers of their own. Where they share no log, only their engine has it. */
  readonly neighbours: () => readonly string[];
  /** Ends the streams that follow when the node stops. */
  readonly stopSignal: AbortSignal;
}

/** Logs and LogsContainers: the logs of the node's own daemons, from memory, and those of containers. */
export function createLogs({
  store,
  readContainerLog,
  neighbours,
  stopSignal,
}: LogsInit): Pick<MachineServiceImplementation, 'logs' | 'logsContainers'> {
  return {
    async *logs(request, context) {
      const signal = AbortSignal.any([context.signal, stopSignal]);
      if (logSourceOf(request) === 'container') {
        for await (const piece of readContainerLog(request, signal))
          for (const message of fileChunks(piece)) yield message;
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
