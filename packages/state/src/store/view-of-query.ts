import { faultFrom } from '@nodewright/fault';
import type { Resource } from '../resource.ts';
import type { ResourceEvent } from '../state.ts';
import type { StoredEvent } from './event-log.ts';

/**
 * Converts an event for a watcher with a query: a resource that begins to match is reported as created, one
 * that ceases to match as destroyed. Source: Talos v1.14: COSI watch semantics. An expression that takes too
 * many steps ends the watch of its caller; the writer does not notice.
 */
export function viewOfQuery(
  matches: (resource: Resource) => boolean,
): (event: StoredEvent) => ResourceEvent | undefined {
  const view = viewBy(matches);
  return (event) => {
    try {
      return view(event);
    } catch (error) {
      return { kind: 'errored', message: faultFrom(error).message };
    }
  };
}

function viewBy(matches: (resource: Resource) => boolean): (event: StoredEvent) => ResourceEvent | undefined {
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
