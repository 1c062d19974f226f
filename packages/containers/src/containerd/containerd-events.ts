import {
  ContainerCreate,
  ContainerDelete,
  ImageCreate,
  ImageDelete,
  ImageUpdate,
  TaskExit,
  TaskOOM,
  TaskStart,
} from '@nodewright/containers/containerd-contract';
import type { Envelope } from '@nodewright/contract/gen/containerd/types/event.ts';
import type { RuntimeEvent } from '../container-runtime.ts';
import { millisecondsFrom } from './timestamps.ts';

type Happening = RuntimeEvent extends infer Event
  ? Event extends RuntimeEvent
    ? Omit<Event, 'atMs'>
    : never
  : never;

const readers: Readonly<Record<string, (value: Uint8Array) => Happening | undefined>> = {
  '/containers/create': (value) => ({ kind: 'container-created', id: ContainerCreate.decode(value).id }),
  '/containers/delete': (value) => ({ kind: 'container-removed', id: ContainerDelete.decode(value).id }),
  '/tasks/start': (value) => ({ kind: 'task-started', id: TaskStart.decode(value).containerId }),
  '/tasks/oom': (value) => ({ kind: 'task-out-of-memory', id: TaskOOM.decode(value).containerId }),
  '/tasks/exit': (value) => {
    const { containerId, id, exitStatus } = TaskExit.decode(value);
    // The exit of an additional process (exec) is not the end of the task.
    return id === containerId ? { kind: 'task-exited', id, code: exitStatus } : undefined;
  },
  '/images/create': (value) => ({ kind: 'image-added', reference: ImageCreate.decode(value).name }),
  '/images/update': (value) => ({ kind: 'image-added', reference: ImageUpdate.decode(value).name }),
  '/images/delete': (value) => ({ kind: 'image-removed', reference: ImageDelete.decode(value).name }),
};

/** Converts an event of containerd to one of the contract; undefined for other kinds of events. */
export function runtimeEventFrom({ topic, event, timestamp }: Envelope): RuntimeEvent | undefined {
  const happening = readers[topic]?.(event?.value ?? new Uint8Array());
  return happening === undefined
    ? undefined
    : ({ atMs: millisecondsFrom(timestamp), ...happening } as RuntimeEvent);
}
