import { readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '@nodewright/files';
import { ownCgroupFolder } from '../domain/delegated-cgroup.ts';

/** The cgroup of one run of a service. */
export interface ServiceCgroup {
  /** Takes the process in, and with it all that it starts from now on. */
  add(pid: number): void;
  /** Kills whatever is in it, and removes it. @throws Error when something in it does not end */
  remove(): Promise<void>;
}

/** Where this node may have cgroups of its own. */
export interface ServiceCgroups extends Disposable {
  /** @param path as in the table of cgroups, such as `system/apid` */
  open(path: string): Promise<ServiceCgroup>;
}

const removalTimeoutMs = 2000;
const pauseMs = 20;

/**
 * The cgroup of this process, if it was handed over to its user to make cgroups below it, as a session of systemd does
 * with `Delegate=yes`; else undefined: nothing is made where nobody has allowed it. Nodes of one session have a folder each.
 */
export function openServiceCgroups(read = readOwnPlace): ServiceCgroups | undefined {
  const own = ownCgroupFolder(read());
  const user = process.getuid?.() ?? 0;
  // Root may write everywhere, which says nothing about whose it is.
  if (own === undefined || user === 0 || !belongsTo(own, user)) return undefined;
  return createServiceCgroups(join(own, `nodewright-${process.pid}`));
}

/** @param folder is made when it is first needed, and removed at the end if it is empty */
export function createServiceCgroups(folder: string): ServiceCgroups {
  return {
    async open(path) {
      const cgroup = join(folder, path);
      await makeFolder(cgroup);
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

/** The kernel takes a moment to let go of what was killed. */
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
    // Another service is in it, or it was never made.
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
