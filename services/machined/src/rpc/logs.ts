import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { checkLogSelection } from '../domain/check-log-selection.ts';
import type { LogStore } from '../host/log-store.ts';

/** The size of a message of the log stream. Source: Talos v1.14: Logs. */
const chunkBytes = 1024;

/**
 * Logs and LogsContainers: the logs of the node's own daemons, from memory.
 *
 * @param neighbours gives the daemons that run in containers of their own. Where they share no log, only their engine has it.
 * @param stopSignal ends the streams that follow when the node stops.
 */
export function createLogs(
  store: LogStore,
  neighbours: () => readonly string[],
  stopSignal: AbortSignal,
): Pick<MachineServiceImplementation, 'logs' | 'logsContainers'> {
  return {
    async *logs(request, context) {
      checkLogSelection(request);
      const signal = AbortSignal.any([context.signal, stopSignal]);
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
