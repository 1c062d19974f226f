// What the kernel expects of the first process of a machine.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Timers } from '@nodewright/async';
import { nodeExitCodes } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls, parseMounts, pathFromMountPoint } from '@nodewright/linux';
import {
  cgroupMount,
  etcMount,
  type MachineMount,
  machineFolders,
  machineMounts,
  mountsToDetach,
  varInMemory,
} from '../domain/machine-mounts.ts';
import { restartCommands } from '../domain/node-event.ts';

// <bits/resource.h>
const openFilesLimit = 7;
/** Source: Talos v1.14: pseudo file systems. */
const openFiles = 1_048_576;
const lookEveryMs = 5000;
const lookAgainMs = 100;
/** How long the disks may take to store what is in memory. */
const syncTimeoutMs = 30_000;
/** From there on until the machine ends in any case: a disk can also hang when its file systems are detached. */
const detachTimeoutMs = 15_000;
/** Time to read the last lines on the console before a crashed machine restarts. */
const crashPauseMs = 10_000;

/**
 * Mounts the file systems that the init leaves to machined, and raises the limit on open files.
 *
 * @throws SystemCallError when the kernel refuses a mount
 */
export async function mountFileSystems(calls: NativeCalls): Promise<void> {
  for (const mount of machineMounts) mountOne(calls, mount);
  for (const { path, mode } of machineFolders) {
    await makeFolder(path);
    chmodSync(path, mode);
  }
  mountOne(calls, etcMount);
  calls.setResourceLimit(openFilesLimit, openFiles);
}

/**
 * Mounts the control groups of a container once more, so that they can be changed.
 *
 * @throws SystemCallError when the kernel refuses it; Fault `failed-precondition` when they are those of the host
 */
export function mountOwnCgroups(calls: Pick<NativeCalls, 'mount' | 'detachMount'>): void {
  // Options of this file system belong to the whole machine, and only its first cgroup namespace may set them.
  mountOne(calls, { ...cgroupMount, data: '' });
  // Every group but the top of the machine has this file.
  if (existsSync(`${cgroupMount.target}/cgroup.type`)) return;
  calls.detachMount(cString(cgroupMount.target));
  throw new Fault('failed-precondition', 'the engine has given the container no control group of its own');
}

/** Keeps `/var` in memory, on a machine without a disk. @throws SystemCallError */
export function mountVarInMemory(calls: NativeCalls): void {
  mountOne(calls, varInMemory);
}

/**
 * Detaches the volumes, and the file systems of containers on them, so that their file systems are whole on the disk. What is
 * not mounted is left out.
 */
export function detachVolumes(calls: Pick<NativeCalls, 'detachMount'>): void {
  for (const folder of mountsToDetach(mountPoints())) {
    try {
      calls.detachMount(cString(folder));
    } catch {
      // It is not mounted.
    }
  }
}

function mountPoints(): string[] {
  try {
    const mounts = parseMounts(readFileSync('/proc/self/mounts', 'utf8'));
    return mounts.map(({ mountPoint }) => pathFromMountPoint(mountPoint));
  } catch {
    return [];
  }
}

function mountOne(calls: Pick<NativeCalls, 'mount'>, { target, type, flags, data }: MachineMount): void {
  calls.mount(cString(type), cString(target), cString(type), flags, cString(data));
}

/**
 * Waits for processes that have ended and whose parents ended before them, such as the shims of containerd: they are children of
 * the first process now, and would stay zombies. Node.js waits for its own children within milliseconds, so a zombie that is
 * found twice in a row is not a child of Node.js.
 *
 * @param isAwaited whether a part of machined waits for the process, and removes it itself
 */
export function reapOrphans(
  calls: Pick<NativeCalls, 'endedChildren' | 'forgetChild'>,
  timers: Timers,
  isAwaited: (pid: number) => boolean = () => false,
): Disposable {
  let suspects: readonly number[] = [];
  let timer: Disposable | undefined;
  const look = () => {
    const ended = calls.endedChildren().filter((pid) => !isAwaited(pid));
    const orphans = ended.filter((pid) => suspects.includes(pid));
    for (const pid of orphans) calls.forgetChild(pid);
    // A kernel that names one at a time has another one now.
    suspects = orphans.length > 0 ? calls.endedChildren().filter((pid) => !isAwaited(pid)) : ended;
    timer = timers.after(suspects.length === 0 ? lookEveryMs : lookAgainMs, look);
  };
  look();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

export interface EndOfMachine {
  readonly calls: Pick<NativeCalls, 'syncFileSystems' | 'endMachine' | 'endMachineLater' | 'detachMount'>;
  /** Ends all other processes. */
  readonly killOthers: () => void;
  /** Blocks this process, whose event loop does not run any more. */
  readonly pause: (ms: number) => void;
  /** Shows a line on the console at once: a log of this process might not be written any more. */
  readonly report: (line: string) => void;
  /** A kernel is loaded that takes over in place of a restart. */
  readonly isKernelLoaded: () => boolean;
}

/** Every other exit code is that of a crash. */
const intendedExitCodes: ReadonlySet<number> = new Set([0, nodeExitCodes.reboot, nodeExitCodes.kexec]);

/**
 * Ends the machine when this process exits: off, restarted by its firmware or by a loaded kernel, or restarted after a pause
 * when it crashed. Without it the kernel would panic. What disks that hang have not stored after 30 s is lost.
 */
export function endMachineAtExit(
  { calls, killOthers, pause, report, isKernelLoaded }: EndOfMachine,
  process: NodeJS.EventEmitter,
): void {
  process.on('exit', (code: number) => {
    const end = code === 0 ? 'power-off' : 'reboot';
    if (!intendedExitCodes.has(code)) {
      report(`machined has ended with exit code ${code}: the machine restarts in ${crashPauseMs / 1000} s`);
      pause(crashPauseMs);
    }
    killOthers();
    endInAnyCase(restartCommands[end], calls, report);
    if (calls.syncFileSystems(syncTimeoutMs)) detachVolumes(calls);
    else report(`a disk has not answered for ${syncTimeoutMs / 1000} s: the machine ends all the same`);
    if (code === nodeExitCodes.kexec && isKernelLoaded()) startLoadedKernel(calls, report);
    calls.endMachine(restartCommands[end]);
  });
}

/** A disk that hangs must not keep the machine from ending. */
function endInAnyCase(
  command: number,
  calls: Pick<NativeCalls, 'endMachineLater'>,
  report: (line: string) => void,
): void {
  try {
    calls.endMachineLater(command, syncTimeoutMs + detachTimeoutMs);
  } catch (error) {
    report(`a disk that hangs would keep the machine from ending (${faultFrom(error).message})`);
  }
}

/** Returns only when the kernel refuses. */
function startLoadedKernel(calls: Pick<NativeCalls, 'endMachine'>, report: (line: string) => void): void {
  try {
    calls.endMachine(restartCommands.kexec);
  } catch (error) {
    report(`the loaded kernel cannot be started (${faultFrom(error).message}): the machine restarts`);
  }
}

/** Writes a line to the kernel's log, and with it to the console, before it returns. */
export function reportOnConsole(line: string): void {
  try {
    const critical = '<2>';
    writeFileSync('/dev/kmsg', `${critical}[nodewright] ${line}\n`);
  } catch {
    // Without a log the machine ends all the same.
  }
}
