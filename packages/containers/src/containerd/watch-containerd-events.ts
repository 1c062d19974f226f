import { setTimeout as sleep } from 'node:timers/promises';
import { LongPromise } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { RuntimeEvent } from '../container-runtime.ts';
import { runtimeEventFrom } from './containerd-events.ts';
import type { NamespaceServices } from './containerd-services.ts';
import type { PendingSubscriptions } from './pending-subscriptions.ts';

/**
 * An event of our own. containerd does not report when a subscription is active, but the first event that
 * arrives proves it.
 */
const markerTopic = '/nodewright/subscribed';
const markerPauseMs = 20;
const markerTimeoutMs = 5_000;

export interface WatchEventsInit {
  readonly events: NamespaceServices['events'];
  readonly namespace: string;
  /** Other calls of this connection wait for these subscriptions. */
  readonly pending: PendingSubscriptions;
  readonly signal: AbortSignal;
}

/** The events of a namespace. Ends when the signal aborts; throws `unavailable` when containerd goes away. */
export async function* watchContainerdEvents(init: WatchEventsInit): AsyncGenerator<RuntimeEvent> {
  const { events, namespace, pending, signal } = init;
  const inForce = Promise.withResolvers<void>();
  const left = new AbortController();
  const both = AbortSignal.any([signal, left.signal]);
  try {
    pending.add(inForce.promise);
    const envelopes = events.subscribe({ filters: [`namespace=="${namespace}"`] }, { signal: both });
    void sendMarkers(events, inForce.promise, both).finally(inForce.resolve);
    for await (const envelope of envelopes) {
      // Released before the event is returned, because its consumer may make a call that waits for this.
      inForce.resolve();
      const event = runtimeEventFrom(envelope);
      if (event !== undefined) yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw faultFrom(error);
  } finally {
    inForce.resolve();
    left.abort();
  }
  if (!signal.aborted) throw new Fault('unavailable', 'containerd ended the events');
}

async function sendMarkers(
  events: NamespaceServices['events'],
  inForce: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let arrived = false;
  void inForce.then(() => {
    arrived = true;
  });
  const event = { typeUrl: 'nodewright.Subscribed', value: Buffer.alloc(0) };
  // Other calls wait for this to end, so a hung containerd must not block it.
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(markerTimeoutMs)]);
  try {
    const subscribed = new LongPromise(inForce);
    while (!arrived && !inTime.aborted) {
      await events.publish({ topic: markerTopic, event }, { signal: inTime });
      await subscribed.or(sleep(markerPauseMs, undefined, { signal }));
    }
  } catch {
    // The subscription fails for the same reason, and reports it.
  }
}
