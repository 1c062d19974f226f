import { readFileSync } from 'node:fs';
import { systemTimers } from '@nodewright/async';
import { buildInfo } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { capabilities, keyCodes, loadNativeCalls, watchKeys } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { limitCgroup } from '../base/host/cgroup-limits.ts';
import { readIfThere, readOrReason } from '../base/host/read-if-there.ts';
import { type BootPartition, createBootPartition } from '../extensions/host/boot-partition.ts';
import { kernelArgumentProblem } from '../kernel/domain/kernel-requirements.ts';
import { isSecureBootOn } from '../kernel/domain/security-state.ts';
import { bootSlot, isKernelLoaded } from '../life/domain/boot-files.ts';
import {
  detachVolumes,
  endMachineAtExit,
  prepareMachine as mountFileSystems,
  mountVarInMemory,
  reapOrphans,
  reportOnConsole,
} from '../life/host/first-process.ts';
import { cgroupFolder, enterInitCgroup } from '../life/host/machine-cgroups.ts';
import { modulesAreLoaded } from '../life/host/modules-of-init.ts';
import { createNextKernel, type NextKernel } from '../life/host/next-kernel.ts';
import type { MachineClock } from '../time/domain/machine-clock.ts';
import { openMachineClock } from '../time/host/machine-clock.ts';
import { type MachineDisks, openMachineDisks } from '../volumes/host/machine-disks.ts';
import { type MachineVolumes, openMachineVolumes } from '../volumes/host/machine-volumes.ts';

const kexecFolder = '/system/run/kexec';
const bootMountPoint = '/system/run/extension-sets/boot';
/** Source: Talos v1.14: sequences, kexecPrepare. */
const kexecTimeoutMs = 180_000;

/** What a machine has before its node starts. */
export interface PreparedMachine {
  /** Undefined when there is no system disk. */
  readonly volumes: MachineVolumes | undefined;
  readonly nextKernel: NextKernel;
  /** The partition BOOT of the system disk; undefined without such a disk. */
  readonly bootPartition: BootPartition | undefined;
  /** Undefined when the node owns no disks. */
  readonly disks: MachineDisks | undefined;
  readonly clock: MachineClock;
}

/**
 * What machined does before anything else when the kernel started it as the first process: it mounts file systems, and takes
 * care that the machine ends with it. A problem of the disk is logged: the console still shows what happens.
 *
 * @param isAwaited whether a part of machined waits for the end of an adopted process
 * @param startedDisk as of `openMachineVolumes()`
 * @throws SystemCallError when a file system cannot be mounted; Fault when the kernel lacks an argument that protects it
 */
export async function prepareMachine(
  { ownsDisks }: Pick<World, 'ownsDisks'>,
  isAwaited: (pid: number) => boolean,
  startedDisk: string | undefined,
  log: Logger,
  scope: AsyncDisposableStack,
): Promise<PreparedMachine> {
  const calls = await loadNativeCalls();
  endMachineAtExit(
    { calls, killOthers, pause, report: reportOnConsole, isKernelLoaded: () => isKernelLoaded(readIfThere) },
    process,
  );
  const clock = openMachineClock({ calls, built: buildInfo.built, now: Date.now, log });
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
  // SIGTERM runs the shutdown sequence, and the exit after it switches the machine off.
  if (!(await modulesAreLoaded(readIfThere)))
    log.error(
      'the kernel still loads modules of the initramfs: disks, keys or network devices may be missing',
    );
  const onPress = (code: number) => {
    if (code === keyCodes.power) process.kill(process.pid, 'SIGTERM');
  };
  const onSkip = (device: string, error: unknown) =>
    log.warn({ device, error: faultFrom(error).message }, 'the keys of an input device are not watched');
  scope.use(watchKeys({ ...calls, onPress, onSkip }));
  const volumes = ownsDisks
    ? await openMachineVolumes(calls, log, () => detachVolumes(calls), startedDisk)
    : undefined;
  const disks = ownsDisks ? openMachineDisks(calls, volumes, log) : undefined;
  if (volumes === undefined) mountVarInMemory(calls);
  const nextKernel = createNextKernel({
    ...{ calls, log, read: readIfThere, folder: kexecFolder, timeoutMs: kexecTimeoutMs },
    bootDevice: async () => volumes?.bootDevice(),
    isSecureBootOn: () => isSecureBootOn(readOrReason),
  });
  const bootPartition =
    volumes &&
    createBootPartition({
      ...{ calls, mountPoint: bootMountPoint, slot: bootSlot(readFileSync('/proc/cmdline', 'utf8')) },
      device: () => volumes.bootDevice(),
    });
  return { volumes, disks, nextKernel, bootPartition, clock };
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
