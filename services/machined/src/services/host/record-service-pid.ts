import { readlinkSync } from 'node:fs';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { servicePids } from '@nodewright/state/kinds';
import type { ProcessWatcher } from './process-runner.ts';

/**
 * Keeps `ServicePIDs` of a service, in nobody's name: there while its process runs. Source: Talos v1.14: COSI resources,
 * ServicePIDs.
 */
export function recordServicePid(state: State, service: string): ProcessWatcher {
  const pointer = pointerTo(servicePids, service);
  // One after another: a process may end before its start has been written.
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

/** `mnt:[4026531841]`; nothing for a process that is gone, or that is another user's. */
function mountNamespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return '';
  }
}
