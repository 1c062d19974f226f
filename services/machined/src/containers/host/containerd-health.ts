import {
  HealthDefinition,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { faultFrom } from '@nodewright/fault';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { HealthResult } from '@nodewright/services';
import { noTelemetry } from '@nodewright/telemetry';

/** How soon to connect again to a containerd that was restarted. */
const maxReconnectPauseMs = 1000;

export interface ContainerdHealth extends Disposable {
  /** Never rejects: a failure is a result. */
  check(timeoutMs: number): Promise<HealthResult>;
}

/** Asks the health service of containerd. Connects at the first check. Source: Talos v1.14: health checks, cri. */
export function openContainerdHealth(socket: string): ContainerdHealth {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs });
  // Traces of a check every five seconds would hide everything else.
  const client = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  return {
    async check(timeoutMs) {
      try {
        const { status } = await client.check({}, { signal: AbortSignal.timeout(timeoutMs) });
        return status === ServingStatus.SERVING
          ? { healthy: true }
          : { healthy: false, message: `unexpected serving status: ${status}` };
      } catch (error) {
        return { healthy: false, message: faultFrom(error).message };
      }
    },
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
