import { readFileSync, readlinkSync } from 'node:fs';
import { systemTimers } from '@nodewright/async';
import { containerCapabilities } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, effectiveCapabilities, loadNativeCalls, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { cgroupAccess, missingCapabilities, writtenFolders } from '../domain/container-node.ts';
import { mountOwnCgroups, reapOrphans } from './first-process.ts';
import { cgroupFolder, enterInitCgroup } from './machine-cgroups.ts';

/**
 * What machined does before anything else as the first process of a container that is a whole node. What the engine did not
 * give is logged, and the node runs without it. Outside of the container nothing is changed.
 *
 * @param isAwaited whether a part of machined waits for the end of an adopted process
 * @returns the control groups of the node; undefined where the engine does not let it have any, and so no containers
 */
export async function prepareContainer(
  isAwaited: (pid: number) => boolean,
  log: Logger,
  scope: AsyncDisposableStack,
): Promise<string | undefined> {
  const calls = await loadNativeCalls();
  scope.use(reapOrphans(calls, systemTimers, isAwaited));
  const granted = effectiveCapabilities(readFileSync('/proc/self/status', 'utf8'));
  for (const line of missingCapabilities(containerCapabilities, granted)) log.warn(line);
  try {
    openCgroups(calls);
    await openWrittenFolders(calls);
    await enterInitCgroup(cgroupFolder, process.pid);
    return cgroupFolder;
  } catch (error) {
    const problem = faultFrom(error).message;
    log.warn({ error: problem }, 'the node runs no containers, because it has no control groups of its own');
    return undefined;
  }
}

// <sys/mount.h>: MS_BIND
const bind = 4096;

/** Mounts folders of the volume `/var` on those of the image that pods and the kubelet write to. */
async function openWrittenFolders(calls: NativeCalls): Promise<void> {
  for (const { folder, path } of writtenFolders) {
    await makeFolder(folder);
    calls.mount(cString(folder), cString(path), cString(''), bind, cString(''));
  }
}

function openCgroups(calls: NativeCalls): void {
  const access = cgroupAccess({
    folder: cgroupFolder,
    mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
    namespace: readlinkSync('/proc/self/ns/cgroup'),
  });
  if (access.kind === 'refused') throw new Fault('failed-precondition', access.reason);
  if (access.kind === 'mount') mountOwnCgroups(calls);
}
