import { readFileSync } from 'node:fs';
import { systemTimers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { capabilities, loadNativeCalls, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { limitCgroup } from '../base/host/cgroup-limits.ts';
import { readIfThere, readOrReason } from '../base/host/read-if-there.ts';
import { kernelArgumentProblem } from '../kernel/domain/kernel-requirements.ts';
import { isSecureBootOn } from '../kernel/domain/security-state.ts';
import { isKernelLoaded } from '../life/domain/boot-files.ts';
import {
  endMachineAtExit,
  mountFileSystems,
  reapOrphans,
  reportOnConsole,
} from '../life/host/first-process.ts';
import { cgroupFolder, enterInitCgroup } from '../life/host/machine-cgroups.ts';
import { modulesAreLoaded } from '../life/host/modules-of-init.ts';
import { openWatchdog, type Watchdog, watchdogDescriptor, watchdogDevice } from '../upgrade/host/watchdog.ts';

/**
 * What machined does at first when the kernel started it as the first process, whatever the node is: it mounts the file
 * systems of the kernel, and takes care that the machine ends with it. Disks, keys and the clock are work of their topics.
 *
 * @param isAwaited whether a part of machined waits for the end of an adopted process
 * @param descriptor number of the descriptor of a watchdog that the init has started; empty for none. It is fed first of all: what follows may
 * take longer than its time
 * @returns the calls of the kernel that change the machine, and the watchdog
 * @throws SystemCallError when a file system cannot be mounted; Fault when the kernel lacks an argument that protects it
 */
export async function prepareMachine(
  isAwaited: (pid: number) => boolean,
  descriptor: string,
  log: Logger,
  scope: AsyncDisposableStack,
): Promise<{ readonly calls: NativeCalls; readonly watchdog: Watchdog }> {
  const calls = await loadNativeCalls();
  const watchdog = openWatchdog({
    ...{ descriptor: watchdogDescriptor(descriptor), device: watchdogDevice(calls) },
    ...{ timers: systemTimers, log },
  });
  endMachineAtExit(
    { calls, killOthers, pause, report: reportOnConsole, isKernelLoaded: () => isKernelLoaded(readIfThere) },
    process,
  );
  // Only machined ends the machine or loads a kernel. Source: Talos v1.14: services, dropped capabilities.
  calls.dropBoundingCapability(capabilities.systemBoot);
  const problem = kernelArgumentProblem({
    commandLine: readFileSync('/proc/cmdline', 'utf8'),
    isSecureBootOn: isSecureBootOn(readOrReason),
  });
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  await mountFileSystems(calls);
  await enterCgroup(log);
  scope.use(reapOrphans(calls, systemTimers, isAwaited));
  // Topics look for disks, keys and network devices once.
  if (!(await modulesAreLoaded(readIfThere)))
    log.error(
      'the kernel still loads modules of the initramfs: disks, keys or network devices may be missing',
    );
  return { calls, watchdog };
}

/** Without its group machined runs all the same; only containers with limits do not. */
async function enterCgroup(log: Logger): Promise<void> {
  try {
    await enterInitCgroup(cgroupFolder, process.pid);
    limitCgroup(cgroupFolder, 'init', true, log);
  } catch (error) {
    log.error({ error: faultFrom(error).message }, 'the control groups could not be set up');
  }
}

function killOthers(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch {
    // There is no other process.
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
