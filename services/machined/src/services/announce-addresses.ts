import type { NodeFacts } from '../domain/node-facts.ts';
import type { EventStore } from '../host/event-store.ts';

/** Source: Talos v1.14: events, address event. */
const defaultIntervalMs = 10 * 60_000;

/** Tells how the node is called and where it is, now and then again, until it is disposed. */
export function announceAddresses(
  events: EventStore,
  { hostname, addresses }: Pick<NodeFacts, 'hostname' | 'addresses'>,
  intervalMs = defaultIntervalMs,
): Disposable {
  const announce = () => events.publish({ kind: 'address', hostname, addresses });
  announce();
  const timer = setInterval(announce, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
