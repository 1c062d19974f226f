import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { ServiceRecord } from '@nodewright/services';
import { timestampFromUnixMs } from '../../base/rpc/timestamp.ts';
import { serviceHealthMessage } from './service-health-message.ts';

/** ServiceList: every service with its history and health, sorted by id. */
export function createServiceList(
  records: () => readonly ServiceRecord[],
): Pick<MachineServiceImplementation, 'serviceList'> {
  return {
    async serviceList() {
      const services = records().map(({ id, state, health, history }) => ({
        id,
        state,
        events: {
          events: history.map((entry) => ({
            msg: entry.message,
            state: entry.state,
            ts: timestampFromUnixMs(entry.atMs),
          })),
        },
        health: serviceHealthMessage(health),
      }));
      return { messages: [{ services }] };
    },
  };
}
