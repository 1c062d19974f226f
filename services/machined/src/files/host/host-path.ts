/** A path of this machine, as functions of Node.js accept it. */
export type HostPath = string | Buffer;

const ascii = /^[\0-\x7f]*$/;

/**
 * Converts a byte string. An ASCII path stays a string, which needs no memory outside of the heap: walks
 * create many paths.
 */
export function hostPathFromBytes(path: string): HostPath {
  return ascii.test(path) ? path : Buffer.from(path, 'latin1');
}

/** Returns the bytes of a path. */
export function hostPathBytes(path: HostPath): Buffer {
  return typeof path === 'string' ? Buffer.from(path, 'latin1') : path;
}
