import { readlinkSync } from 'node:fs';
import type { ProcessWatcher } from '@nodewright/services';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { servicePids } from '@nodewright/state/kinds';

/**
 * Publishes the `ServicePIDs` of a service, without an owner, while its process runs. Source: Talos v1.14:
 * COSI resources, ServicePIDs.
 */
export function recordServicePid(state: State, service: string): ProcessWatcher {
  const pointer = pointerTo(servicePids, service);
  // One after the other, because a process may end before its start has been written.
  let written: Promise<unknown> = Promise.resolve();
  return {
    started(pid) {
      const spec = { pid, mountNamespace: mountNamespaceOf(pid) };
      written = written.then(() => putResource(state, { ...pointer, spec }));
    },
    ended() {
      written = written.then(() => state.destroy(pointer));
    },
  };
}

/** `mnt:[4026531841]`; undefined for a process that has ended or belongs to another user. */
function mountNamespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return '';
  }
}
