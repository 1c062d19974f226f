import { readFileSync } from 'node:fs';
import { isLocalMount, parseMounts, pathFromMountPoint } from '@nodewright/linux';

/** How long the table of mounts is used, in ms. Reading it takes the kernel some microseconds a mount. */
const tableMs = 250;

/** Which mounts of this machine may hang. Paths are those of the machine, absolute and without links, as byte strings. */
export interface MountsThatHang {
  /** What is mounted at exactly this path; `undefined` for no mount. */
  at(path: string): 'local' | 'may-hang' | undefined;
  /** The mount point of the file system that a path is on, if it may hang. */
  above(path: string): string | undefined;
}

/** Reads the table of mounts at the first question, and again when it is old. */
export function readMountsThatHang(
  readTable: () => string = () => readFileSync('/proc/self/mounts', 'latin1'),
  nowMs: () => number = () => performance.now(),
): MountsThatHang {
  let table: ReadonlyMap<string, 'local' | 'may-hang'> = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  const at = (path: string) => {
    const now = nowMs();
    if (now - readAtMs > tableMs) {
      // Of several mounts at one path the last one is seen.
      table = new Map(
        parseMounts(readTable()).map((mount) => [
          pathFromMountPoint(mount.mountPoint),
          isLocalMount(mount) ? 'local' : 'may-hang',
        ]),
      );
      readAtMs = now;
    }
    return table.get(path);
  };
  return {
    at,
    above(path) {
      for (let each = path; ; each = each.slice(0, each.lastIndexOf('/'))) {
        const kind = at(each || '/');
        if (kind === 'may-hang') return each || '/';
        if (kind === 'local' || each === '' || each === '/') return undefined;
      }
    },
  };
}
