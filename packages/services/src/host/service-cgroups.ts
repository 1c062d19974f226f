import { readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '@nodewright/files';
import { ownCgroupFolder } from '../domain/delegated-cgroup.ts';

/** The cgroup of one run of a service. */
export interface ServiceCgroup {
  /** Adds the process, and with it all of its future descendants. */
  add(pid: number): void;
  /**
   * Kills all processes in it, and removes it.
   *
   * @throws Error when a process does not end
   */
  remove(): Promise<void>;
}

/** The cgroup below which this node creates its own. */
export interface ServiceCgroups extends Disposable {
  /** @param path as in the table of cgroups, such as `system/apid` */
  open(path: string): Promise<ServiceCgroup>;
}

const removalTimeoutMs = 2000;
const pauseMs = 20;

/**
 * The cgroup of this process if it was delegated to its user, as a systemd session is with `Delegate=yes`.
 * Otherwise undefined, and no cgroups are created. Each node of a session has its own folder.
 */
export function openServiceCgroups(read = readOwnPlace): ServiceCgroups | undefined {
  const own = ownCgroupFolder(read());
  const user = process.getuid?.() ?? 0;
  // Root may write to every folder, which does not mean that this one was delegated.
  if (own === undefined || user === 0 || !belongsTo(own, user)) return undefined;
  return createServiceCgroups({ folder: join(own, `nodewright-${process.pid}`) });
}

export interface ServiceCgroupsInit {
  /** It is created at the first use, and removed at the end if it is empty. */
  readonly folder: string;
  /** Sets the limits of the group with this path, which exists; by default nothing is limited. */
  readonly limit?: (path: string) => void;
}

export function createServiceCgroups({ folder, limit }: ServiceCgroupsInit): ServiceCgroups {
  return {
    async open(path) {
      const cgroup = join(folder, path);
      await makeFolder(cgroup);
      limit?.(path);
      return {
        add: (pid) => writeFileSync(join(cgroup, 'cgroup.procs'), String(pid)),
        async remove() {
          writeFileSync(join(cgroup, 'cgroup.kill'), '1');
          await removeWhenEmpty(cgroup);
          for (let parent = dirname(cgroup); parent.length > folder.length; parent = dirname(parent))
            removeIfEmpty(parent);
        },
      };
    },
    [Symbol.dispose]: () => removeIfEmpty(folder),
  };
}

/** The kernel needs a moment to remove killed processes. */
async function removeWhenEmpty(cgroup: string): Promise<void> {
  const deadline = performance.now() + removalTimeoutMs;
  for (;;) {
    try {
      return rmdirSync(cgroup);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || performance.now() > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}

function removeIfEmpty(cgroup: string): void {
  try {
    rmdirSync(cgroup);
  } catch {
    // Another service uses it, or it was never created.
  }
}

function readOwnPlace() {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  return { membership: read('/proc/self/cgroup'), mounts: read('/proc/self/mountinfo') };
}

function belongsTo(folder: string, user: number): boolean {
  try {
    return [folder, join(folder, 'cgroup.procs')].every((path) => statSync(path).uid === user);
  } catch {
    return false;
  }
}
