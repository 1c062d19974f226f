import type { ServiceHealth as ServiceHealthMessage } from '@nodewright/contract/gen/machine/machine.ts';
import type { ServiceHealth } from '@nodewright/services';
import { timestampFromUnixMs } from '../../base/rpc/timestamp.ts';

/** Converts a health record to its message. Source: Talos v1.14: health record. */
export function serviceHealthMessage(health: ServiceHealth): ServiceHealthMessage {
  return {
    unknown: health.unknown,
    healthy: health.healthy,
    lastMessage: health.lastMessage,
    lastChange: timestampFromUnixMs(health.lastChangeMs),
  };
}
