import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { type Event, EventType } from '@nodewright/contract/gen/cosi/resource/state.ts';
import type { Pointer, Resource } from '../resource.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type { ResourceEvent } from '../state.ts';
import { isTombstone, resourceFromMessage, tombstoneMessage } from './resource-message.ts';

const eventTypes = {
  created: EventType.CREATED,
  updated: EventType.UPDATED,
  destroyed: EventType.DESTROYED,
  absent: EventType.DESTROYED,
  bootstrapped: EventType.BOOTSTRAPPED,
  noop: EventType.NOOP,
  errored: EventType.ERRORED,
} as const satisfies Record<ResourceEvent['kind'], EventType>;

export interface EventMessageInit {
  /** The target of a watch; the id is empty for a whole kind. */
  readonly target: Pointer;
  readonly encode: (resource: Resource) => ResourceMessage;
  /** Unix ms; the time in a tombstone. */
  readonly now: () => number;
}

export function messageFromEvent(event: ResourceEvent, { target, encode, now }: EventMessageInit): Event {
  const tombstone = () => tombstoneMessage(target, now());
  const bookmark = 'bookmark' in event && event.bookmark ? Buffer.from(event.bookmark) : undefined;
  const eventType = eventTypes[event.kind];
  switch (event.kind) {
    case 'created':
    case 'destroyed':
      return { eventType, resource: encode(event.resource), old: undefined, bookmark };
    case 'updated':
      return { eventType, resource: encode(event.resource), old: encode(event.old), bookmark };
    case 'absent':
    case 'bootstrapped':
    case 'noop':
      return { eventType, resource: tombstone(), old: undefined, bookmark };
    case 'errored':
      return { eventType, resource: undefined, old: undefined, error: event.message };
  }
}

/** Decodes an event. An event of an unknown type becomes `errored`. */
export function eventFromMessage(message: Event, codecs: SpecCodecs): ResourceEvent {
  const { eventType, resource, old, error } = message;
  const bookmark = message.bookmark === undefined ? {} : { bookmark: message.bookmark };
  const decode = (part: ResourceMessage | undefined) => resourceFromMessage(part, codecs);
  switch (eventType) {
    case EventType.CREATED:
      return { kind: 'created', resource: decode(resource), ...bookmark };
    case EventType.UPDATED:
      return { kind: 'updated', resource: decode(resource), old: decode(old), ...bookmark };
    case EventType.DESTROYED:
      if (isTombstone(resource)) return { kind: 'absent' };
      return { kind: 'destroyed', resource: decode(resource), ...bookmark };
    case EventType.BOOTSTRAPPED:
      return { kind: 'bootstrapped', ...bookmark };
    case EventType.NOOP:
      return { kind: 'noop', ...bookmark };
    case EventType.ERRORED:
      return { kind: 'errored', message: error ?? '' };
    default:
      return { kind: 'errored', message: `unknown type ${eventType} of an event` };
  }
}
