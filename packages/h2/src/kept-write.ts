import type { createHook } from 'node:async_hooks';

/** What Node.js calls the object of a write. */
const writeType = 'WRITEWRAP';
/** Writes that are followed until one of them is complete. A further one takes the place of the oldest, which may never be complete. */
const mostFollowed = 16;

/** The property is that of Node.js. */
interface WriteObject {
  buffer?: unknown;
}

/** One object of each kind that Node.js makes for a write of a TLS connection and for a turn of the event loop. */
export interface KeptWrite {
  readonly write: object;
  readonly immediate: object;
}

/**
 * Waits for the next write of this process that is complete, and keeps its object, with its connection, which may be closed, but without
 * its bytes. Whoever keeps the result keeps the compiled code of Node.js for writes: V8 discards code for shapes of objects that no
 * object has while it collects garbage, and an idle daemon collects when nothing is written. Without this, each collection
 * has the functions of Node.js through which all requests pass compiled again: docs/decisions/memory.md.
 *
 * @param hook default: that of Node.js. It is active until the write is complete.
 */
export function keepWrite(
  // No start needs the module.
  hook: typeof createHook = process.getBuiltinModule('node:async_hooks').createHook,
): Promise<KeptWrite> {
  const { promise, resolve } = Promise.withResolvers<KeptWrite>();
  const followed = new Map<number, WriteObject>();
  const active = hook({
    trackPromises: false,
    init(id, type, _trigger, resource) {
      if (type !== writeType) return;
      followed.set(id, resource);
      const [oldest = id] = followed.keys();
      if (followed.size > mostFollowed) followed.delete(oldest);
    },
    after(id) {
      const write = followed.get(id);
      if (write === undefined) return;
      active.disable();
      followed.clear();
      // Only now: the system reads the bytes until the write is complete.
      write.buffer = null;
      resolve({ write, immediate: setImmediate(() => {}) });
    },
  }).enable();
  return promise;
}
