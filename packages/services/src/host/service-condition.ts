import type { ChangeSignal } from '@nodewright/async';
import type { Condition } from '../domain/condition.ts';
import { isUp, type ServiceRecord } from '../domain/service-record.ts';

/** Met while the service is up. Source: Talos v1.14: service state machine, waiting messages. */
export function createServiceCondition(
  id: string,
  recordOf: (id: string) => ServiceRecord | undefined,
  changed: ChangeSignal,
): Condition {
  const isMet = () => {
    const record = recordOf(id);
    return record !== undefined && isUp(record);
  };
  return {
    get text() {
      return recordOf(id) === undefined ? `service "${id}" to be registered` : `service "${id}" to be "up"`;
    },
    isMet,
    async wait(signal) {
      while (!signal.aborted && !isMet()) await changed.next(signal);
    },
  };
}
