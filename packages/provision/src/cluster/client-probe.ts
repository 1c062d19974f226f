import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import type { Telemetry } from '@nodewright/telemetry';
import type { NodeProbe } from './wait-for-nodes.ts';

/**
 * Creates a probe that uses `@nodewright/client`. A node that answers the probe therefore also answers users.
 */
export function openClientProbe(talosconfig: string, telemetry: Telemetry): NodeProbe {
  const config = parseTalosconfig(talosconfig);
  const context = config.contexts.get(config.context);
  const clients = new Map<string, TalosClient>();
  const clientOf = (endpoint: string) => {
    const client = clients.get(endpoint) ?? openTalosClient({ context, endpoints: [endpoint], telemetry });
    clients.set(endpoint, client);
    return client;
  };
  return {
    async version(endpoint, node, signal) {
      const client = clientOf(endpoint);
      const target = node === undefined ? client.firstEndpoint() : client.node(node);
      const { messages } = await target.machine.version({}, { signal });
      return messages[0]?.version?.sha ?? '';
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) client[Symbol.dispose]();
    },
  };
}
