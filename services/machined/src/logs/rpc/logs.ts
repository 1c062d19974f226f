import type { LogsRequest, MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { LogStore } from '@nodewright/services/logs';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import { logSourceOf } from '../domain/log-source.ts';

/** The size of one message of the stream. Source: Talos v1.14: Logs. */
const chunkBytes = 1024;

export interface LogsInit {
  readonly store: LogStore;
  /** Reads the log of a container. @throws Fault when there is no such container */
  readonly readContainerLog: (request: LogsRequest, signal: AbortSignal) => AsyncIterable<Buffer>;
  /**
   * The daemons that run in containers of their own. If they have no log file in a shared folder, only the
   * container engine has their logs.
   */
  readonly neighbours: () => readonly string[];
  /** Aborts when the node stops, and ends the streams that follow. */
  readonly stopSignal: AbortSignal;
}

/** Implements Logs and LogsContainers: the logs of the node's own daemons, from memory, and those of containers. */
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
          `the container engine keeps the log of "${id}": read it with "docker compose logs"`,
        );
      }
      for await (const bytes of store.read({ id, follow, tailLines, signal }, chunkBytes)) yield { bytes };
    },
    async logsContainers() {
      return { messages: [{ ids: store.ids }] };
    },
  };
}
