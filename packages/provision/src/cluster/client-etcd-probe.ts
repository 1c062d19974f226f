import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { serviceIds } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import { serviceTrouble } from '../domain/service-trouble.ts';
import type { EtcdProbe } from './etcd-probe.ts';

/** Creates a probe that uses `@nodewright/client`, as users do. */
export function openClientEtcdProbe(talosconfig: string, telemetry: Telemetry): EtcdProbe {
  const config = parseTalosconfig(talosconfig);
  const context = config.contexts.get(config.context);
  const clients = new Map<string, TalosClient>();
  const machineOf = (endpoint: string) => {
    const client = clients.get(endpoint) ?? openTalosClient({ context, endpoints: [endpoint], telemetry });
    clients.set(endpoint, client);
    return client.firstEndpoint().machine;
  };
  return {
    async bootstrap(endpoint, signal) {
      await machineOf(endpoint).bootstrap({}, { signal });
    },
    async members(endpoint, signal) {
      const { messages } = await machineOf(endpoint).etcdMemberList({ queryLocal: true }, { signal });
      return messages.flatMap(({ members }) =>
        members.map(({ peerUrls, isLearner }) => ({
          hosts: peerUrls.flatMap((url) => URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? []),
          isVoter: !isLearner,
        })),
      );
    },
    async trouble(endpoint, signal) {
      const { messages } = await machineOf(endpoint).serviceList({}, { signal });
      const etcd = messages.flatMap(({ services }) => services).find(({ id }) => id === serviceIds.etcd);
      return etcd === undefined ? undefined : serviceTrouble(etcd);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) client[Symbol.dispose]();
    },
  };
}
