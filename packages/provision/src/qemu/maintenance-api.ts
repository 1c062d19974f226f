import { openTalosClient } from '@nodewright/client';
import type { Telemetry } from '@nodewright/telemetry';

/** The API of a machine that waits for its configuration and accepts clients without a certificate. */
export interface MaintenanceApi extends Disposable {
  /** Throws when the machine does not answer, or is not in maintenance. */
  version(signal: AbortSignal): Promise<void>;
  applyConfiguration(text: string, signal: AbortSignal): Promise<void>;
}

/** @param api `host:port` */
export function openMaintenanceApi(api: string, telemetry: Telemetry): MaintenanceApi {
  const client = openTalosClient({ nodes: [api], insecure: { fingerprints: [] }, telemetry });
  const { machine } = client.node(api);
  return {
    async version(signal) {
      await machine.version({}, { signal });
    },
    async applyConfiguration(text, signal) {
      await machine.applyConfiguration({ data: Buffer.from(text) }, { signal });
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
