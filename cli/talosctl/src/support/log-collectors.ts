import type { NodeClient } from '@nodewright/client';
import { logIds } from '@nodewright/contract';
import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { readEvent } from '../nodes/event-text.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { listServices, serviceLines } from '../nodes/service-rows.ts';
import { formatCompactJson } from '../render/json.ts';
import { formatTable } from '../render/table.ts';
import { archiveName } from './archive-path.ts';
import { type Collector, textCollector, withoutSecrets } from './collector.ts';
import { SecretFilter } from './secret-filter.ts';

/**
 * Logs that belong to no service. Upstream puts them next to the folders. Source: Talos v1.14: support
 * bundle.
 */
const ownPlaces: readonly string[] = Object.values(logIds);
/**
 * After its past events a node sends nothing until another event happens; this silence ends the collection.
 */
const eventsQuietMs = 500;

/** The logs of the node, and the states of its services. */
export async function logCollectors(
  node: NodeClient,
  signal: AbortSignal,
  now: () => Date,
): Promise<Collector[]> {
  const services = await listServices(node, signal);
  const ids = new Set([...services.map(({ id }) => id), ...(await otherLogs(node, signal))]);
  return [...[...ids].sort().map(logCollector), ...services.map((service) => stateCollector(service, now))];
}

/** For nodes that do not list their logs: the ones that every node has. */
async function otherLogs(node: NodeClient, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return onlyMessage(await node.machine.logsContainers({}, { signal })).ids;
  } catch (error) {
    if (faultFrom(error).kind === 'unimplemented') return ownPlaces;
    throw error;
  }
}

function logCollector(id: string): Collector {
  const name = `${archiveName(id)}.log`;
  return {
    path: ownPlaces.includes(id) ? name : `service-logs/${name}`,
    source: `log ${id}`,
    collect: ({ node, signal, secrets }) => {
      const request = {
        id,
        namespace: 'system',
        driver: ContainerDriver.CONTAINERD,
        follow: false,
        tailLines: -1,
      };
      return withoutSecrets(node.machine.logs(request, { signal }), secrets);
    },
  };
}

function stateCollector(service: ServiceInfo, now: () => Date): Collector {
  return textCollector(`service-logs/${archiveName(service.id)}.state`, async ({ node }) =>
    formatTable(serviceLines(node.name, service, now()))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** The events that the node still stores, one object per line. */
export const eventsCollector: Collector = {
  path: 'events.jsonl',
  async *collect({ node, signal, secrets }) {
    const quiet = new AbortController();
    const combined = AbortSignal.any([signal, quiet.signal]);
    const filter = new SecretFilter(secrets);
    const request = { tailEvents: -1, tailSeconds: 0, tailId: '', withActorId: '' };
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const { id, actorId, data } of node.machine.events(request, { signal: combined })) {
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), eventsQuietMs);
        const event = readEvent(data);
        if (data === undefined || event === undefined) continue;
        const shown = formatCompactJson({ id, actorId, type: event.type, event: event.fields });
        const filtered = filter.text(shown);
        yield `${filtered === shown ? withData(shown, data) : filtered}\n`;
      }
    } catch (error) {
      if (!quiet.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  },
};

/** Adds the event as the node sent it, with which `talosctl replay` sends it again. */
function withData(shown: string, { typeUrl, value }: Any): string {
  const data = formatCompactJson({ typeUrl, value: Buffer.from(value).toString('base64') });
  return `${shown.slice(0, -1)},"data":${data}}`;
}

/** The logs of the Kubernetes containers on the node. Source: Talos v1.14: support bundle. */
export async function kubernetesLogCollectors(node: NodeClient, signal: AbortSignal): Promise<Collector[]> {
  const selection = { namespace: 'k8s.io', driver: ContainerDriver.CRI };
  const { containers } = onlyMessage(await node.machine.containers(selection, { signal }));
  return containers
    .filter(({ id, podId }) => id !== podId && podId.startsWith('kube-system/'))
    .map(({ id, pid }) => ({
      path: `kubernetes-logs/kube-system/${archiveName(id.slice('kube-system/'.length))}${pid === 0 ? '-exited' : ''}.log`,
      source: `log ${id}`,
      collect: (context) => {
        const request = { id, ...selection, follow: false, tailLines: -1 };
        return withoutSecrets(
          context.node.machine.logs(request, { signal: context.signal }),
          context.secrets,
        );
      },
    }));
}
