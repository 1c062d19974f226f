import type { NodeClient } from '@nodewright/client';
import type { ServiceEvent, ServiceHealth, ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { formatGoSeconds, formatTimestamp, secondsSince } from '../render/go-time.ts';
import { onlyMessage } from './only-message.ts';

/** The services of one node. */
export async function listServices(node: NodeClient, signal: AbortSignal): Promise<readonly ServiceInfo[]> {
  return onlyMessage(await node.machine.serviceList({}, { signal })).services;
}

function healthText(health: ServiceHealth | undefined): string {
  if (health === undefined || health.unknown) return '?';
  return health.healthy ? 'OK' : 'Fail';
}

/** The age of an event in whole seconds; only ` ago` when it is unknown, as upstream prints it. */
function ageText(event: ServiceEvent | undefined, now: Date): string {
  return event?.ts === undefined ? ' ago' : `${formatGoSeconds(secondsSince(event.ts, now))} ago`;
}

/** The row of a service in `talosctl service`. Source: Talos v1.14: service. */
export function serviceRow(node: string, { id, state, health, events }: ServiceInfo, now: Date): string[] {
  const last = events?.events.at(-1);
  return [node, id, state, healthText(health), ageText(last, now), last?.msg || '<none>'];
}

/** The lines of `talosctl service <id>` for one node, events newest first. Source: Talos v1.14: service. */
export function serviceLines(node: string, service: ServiceInfo, now: Date): string[][] {
  const { id, state, health, events } = service;
  const message = health?.lastMessage ?? '';
  return [
    ['NODE', node],
    ['ID', id],
    ['STATE', state],
    ['HEALTH', healthText(health)],
    ...(message === '' ? [] : [['LAST HEALTH MESSAGE', message]]),
    ...(events?.events ?? [])
      .toReversed()
      .map((event, index) => [
        index === 0 ? 'EVENTS' : '',
        `[${event.state}]: ${event.msg} (${ageText(event, now)})`,
      ]),
  ];
}

/** The fields of a service in a document. */
export function serviceDocument({ id, state, health, events }: ServiceInfo): object {
  return {
    id,
    state,
    health: {
      unknown: health?.unknown ?? true,
      healthy: health?.healthy ?? false,
      lastMessage: health?.lastMessage ?? '',
      lastChange: formatTimestamp(health?.lastChange),
    },
    events: (events?.events ?? []).map(({ msg, state, ts }) => ({ msg, state, ts: formatTimestamp(ts) })),
  };
}
