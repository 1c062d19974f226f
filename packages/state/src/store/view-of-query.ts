import type { Resource } from '../resource.ts';
import type { ResourceEvent } from '../state.ts';
import type { StoredEvent } from './event-log.ts';

/**
 * What a watcher with a query sees of an event: a resource that begins to match is created for it, one that no longer
 * does is destroyed. Source: Talos v1.14: COSI watch semantics.
 */
export function viewOfQuery(
  matches: (resource: Resource) => boolean,
): (event: StoredEvent) => ResourceEvent | undefined {
  return (event) => {
    const { resource } = event;
    if (event.kind !== 'updated') return matches(resource) ? event : undefined;
    const { old, bookmark, traceparent } = event;
    const [before, after] = [matches(old), matches(resource)];
    if (before && after) return event;
    if (after) return { kind: 'created', resource, bookmark, traceparent };
    return before ? { kind: 'destroyed', resource: old, bookmark, traceparent } : undefined;
  };
}
