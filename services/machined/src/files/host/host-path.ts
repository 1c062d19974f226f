/** A path of this machine as the calls of Node.js take it. */
export type HostPath = string | Buffer;

const ascii = /^[\0-\x7f]*$/;

/** A text where that means the same bytes: it costs no memory outside of the heap, and walks make many. */
export function hostPathFromBytes(path: string): HostPath {
  return ascii.test(path) ? path : Buffer.from(path, 'latin1');
}

/** The bytes of it. */
export function hostPathBytes(path: HostPath): Buffer {
  return typeof path === 'string' ? Buffer.from(path, 'latin1') : path;
}
