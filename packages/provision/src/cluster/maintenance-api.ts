import { openTalosClient } from '@nodewright/client';
import type { Telemetry } from '@nodewright/telemetry';

/** The API of a node that waits for its configuration and accepts clients without a certificate. */
export interface MaintenanceApi extends Disposable {
  /** Throws when the node does not answer, or is not in maintenance: a worker that waits for its certificate is not. */
  check(signal: AbortSignal): Promise<void>;
  applyConfiguration(text: string, signal: AbortSignal): Promise<void>;
}

/**
 * Opens the API of a node in maintenance. Each attempt opens its own.
 *
 * @param api `host:port`
 * @param fingerprints the only keys that the server may have (base64 of the SHA-256 of the public key); empty for any key
 */
export type OpenMaintenanceApi = (api: string, fingerprints: readonly string[]) => Promise<MaintenanceApi>;

export function openMaintenanceApi(
  api: string,
  fingerprints: readonly string[],
  telemetry: Telemetry,
): MaintenanceApi {
  const client = openTalosClient({ nodes: [api], insecure: { fingerprints }, telemetry });
  const { machine, storage } = client.node(api);
  return {
    async check(signal) {
      // A worker that waits for its certificate answers `version` to everybody.
      await storage.disks({}, { signal });
    },
    async applyConfiguration(text, signal) {
      await machine.applyConfiguration({ data: Buffer.from(text) }, { signal });
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
