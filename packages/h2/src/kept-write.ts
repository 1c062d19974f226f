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
 * Waits until a write of this process is complete, and resolves with the object that Node.js made for it. The caller must keep the result.
 *
 * The reason is the garbage collector of V8: it discards compiled code that was made for a kind of object if no such object exists at that
 * moment. An idle daemon collects when nothing is being written. Then the code of Node.js for writes would be lost, and compiled again for the
 * next calls: docs/decisions/memory.md.
 *
 * The object refers to its connection, which may be closed. The bytes of the write are removed from it.
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
