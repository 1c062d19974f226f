/**
 * Keeps the objects of the last call that was forwarded to one hop. V8 compiles code for the shapes of objects, and discards that code
 * when a garbage collection finds no object of such a shape. An idle daemon collects garbage when no call is open; without this,
 * requests after that would take twice as long until the code is compiled again: docs/decisions/memory.md.
 *
 * What it keeps until the next call: the metadata of one call, at most 128 KiB in each direction, and the two connections that
 * carried it, which may be closed, with the key of the first one. No body.
 */
export class KeptCall {
  /** `undefined` before the first call. */
  call: object | undefined;
}
