// The only file that makes system calls without Node.js. The native add-on behind it costs a large daemon 2
// MB of memory, and a new process up to 9 MB, so it is loaded at its first use.
import { readFileSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import { createTimedCalls } from './timed-calls.ts';

/** A failed system call. `code` is the name of its errno, as in the errors of Node.js. */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError';
  readonly code: string;

  constructor(call: string, errno: number) {
    const code = getSystemErrorName(-errno);
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** Memory that the kernel shares with this process. `buffer` must not be used after it was disposed of. */
export interface MappedMemory extends Disposable {
  readonly buffer: ArrayBuffer;
}

/** A datagram whose sender the kernel vouches for. */
export interface DatagramWithSender {
  /** The original length, which may exceed that of the buffer. */
  readonly lengthBytes: number;
  /** The user who has sent it; undefined when the kernel has not said so. The kernel itself is user 0. */
  readonly userId: number | undefined;
}

/**
 * System calls that Node.js does not have. Each one throws a SystemCallError, or rejects with it. None of
 * them blocks.
 */
export interface NativeCalls {
  /** The caller closes the descriptor. Child processes do not inherit it. */
  socket(domain: number, type: number, protocol: number): number;
  bind(descriptor: number, address: Uint8Array): void;
  setSocketOption(descriptor: number, level: number, name: number, value: Uint8Array): void;
  /** @param lengthBytes maximum length of the value. */
  getSocketOption(descriptor: number, level: number, name: number, lengthBytes: number): Uint8Array;
  /** Maps the descriptor's memory, readable and writable for both sides. */
  mapMemory(descriptor: number, lengthBytes: number): MappedMemory;
  /**
   * The address of the bytes, for structures with pointers. They stay alive until the next call of `addressOf` at least: the caller
   * uses one pointer at a time.
   */
  addressOf(bytes: Uint8Array): bigint;
  close(descriptor: number): void;
  sendTo(descriptor: number, bytes: Uint8Array, address: Uint8Array): void;
  /**
   * The next datagram of a socket; undefined when there is none. It is truncated to the size of `into`.
   *
   * @param address receives the sender's address, truncated to its size
   * @returns the original length, which may exceed the size of `into`
   */
  receiveFrom(descriptor: number, into: Uint8Array, address: Uint8Array): number | undefined;
  /**
   * The next datagram, like `receiveFrom`, with the process that has sent it. The socket must have the option `SO_PASSCRED`.
   * Source: unix(7), SCM_CREDENTIALS.
   */
  receiveWithSender(
    descriptor: number,
    into: Uint8Array,
    address: Uint8Array,
  ): DatagramWithSender | undefined;
  /** @param argument a structure that the driver reads and writes */
  control(descriptor: number, request: number, argument: Uint8Array): void;
  /**
   * Calls `onReadable` from the event loop for as long as data can be read. It does not keep the process
   * alive and uses no thread. Dispose of it before the descriptor is closed.
   */
  watchReadable(descriptor: number, onReadable: () => void): Disposable;
  /**
   * Punches a hole: returns the space of the first bytes of a file to its file system, in whole blocks. They
   * read as zeros from then on, and the file keeps its length. `EOPNOTSUPP` if the file system has no holes.
   */
  forgetBytes(descriptor: number, lengthBytes: number): void;
  /**
   * Removes a capability, by its number, from the bounding set of programs that this thread starts from now
   * on.
   */
  dropBoundingCapability(number: number): void;
  /**
   * Mounts a file system. All texts are terminated by a NUL byte.
   *
   * @param flags `MS_*`
   */
  mount(source: Uint8Array, target: Uint8Array, type: Uint8Array, flags: number, data: Uint8Array): void;
  /** Detaches a mount at once; the file system ends when nothing uses it any more. @param target ends with a NUL byte */
  detachMount(target: Uint8Array): void;
  /** Unmounts a file system that nothing uses. @param target ends with a NUL byte @throws SystemCallError `EBUSY` while it is in use */
  unmount(target: Uint8Array): void;
  /** Sets a limit of this process, soft and hard. @param resource `RLIMIT_*` */
  setResourceLimit(resource: number, value: number): void;
  /**
   * Writes everything that the file systems have in memory to their disks, and blocks until that is done or the time is over: a
   * disk that hangs never ends it.
   *
   * @returns whether everything is written
   */
  syncFileSystems(timeoutMs: number): boolean;
  /**
   * Ends the machine after a time, from a thread of its own, whatever this one waits for then. @param command as of `endMachine`
   */
  endMachineLater(command: number, delayMs: number): void;
  /** Sets the time of day of the kernel, for every process of the machine. @param unixMs with fractions, to the microsecond */
  setRealTimeClock(unixMs: number): void;
  /** Ends the machine in the given way. Returns only if the kernel refuses. @param command `LINUX_REBOOT_CMD_*` */
  endMachine(command: number): void;
  /**
   * Pids of child processes that have ended and were not waited for. They stay to be waited for. A kernel that does not list the
   * children of a process (CONFIG_PROC_CHILDREN) names one of them at a time.
   */
  endedChildren(): readonly number[];
  /**
   * Loads a module into the kernel, in a thread of the add-on, because the module may take its time.
   *
   * @param parameters end with a NUL byte
   * @param flags `MODULE_INIT_*`
   */
  loadModule(descriptor: number, parameters: Uint8Array, flags: number): Promise<void>;
  /**
   * Loads a kernel that the machine can be ended with (kexec), in a thread of the add-on, because the kernel reads both files
   * and computes their digests.
   *
   * @param kernel descriptor of its file, as `initramfs`
   * @param commandLine ends with a NUL byte
   */
  loadKernel(kernel: number, initramfs: number, commandLine: Uint8Array): Promise<void>;
  /** Ends this process at once, without waiting for its threads. Never returns. */
  exit(code: number): void;
  /** Removes an ended child process from the process table. */
  forgetChild(pid: number): void;
  /**
   * Removes a child process from the process table if it has ended.
   *
   * @returns its status, as of waitpid(2); undefined while it runs
   */
  statusOfChild(pid: number): number | undefined;
  /** Programs that this thread starts from now on gain no rights from set-uid bits or file capabilities. */
  refuseNewPrivileges(): void;
  /**
   * The names of the extended attributes of a file, each terminated by a NUL byte. Does not follow links.
   * Like `getAttribute`, it waits for the file system in a thread of the add-on.
   *
   * @param path terminated by a NUL byte
   */
  listAttributes(path: Uint8Array): Promise<Buffer>;
  /** @param name terminated by a NUL byte, as `path` */
  getAttribute(path: Uint8Array, name: Uint8Array): Promise<Buffer>;
}

/** Children that the main thread has started, and those that it has inherited as the first process. */
function ownChildren(): number[] | undefined {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return undefined;
  }
}

const closeOnExec = 0o2000000;
/** <bits/time.h> */
const clockRealTime = 0;
const punchHoleKeepSize = 2 | 1;
const dontWait = 0x40;
const tellWholeLength = 0x20;
const protectReadWrite = 1 | 2;
const mapShared = 1;
// <sys/mount.h>: MNT_DETACH
const detachLazily = 2;
// <linux/prctl.h>
const dropFromBoundingSet = 24;
const setNoNewPrivileges = 38;
/** The maximum size of a list of attributes, and of a value. */
const maxAttributeBytes = 65_536;
// <linux/wait.h>
const allChildren = 0;
const oneChild = 1;
const peekAtEnded = 0x1 | 0x4 | 0x0100_0000;
const doNotHang = 1;
const siginfoBytes = 128;
// Three numbers of 4 bytes, and a gap on 64-bit machines.
const siginfoPidAt = 16;
// The C library has no functions for them. Source: Linux, numbers of system calls.
const finitModule = process.arch === 'x64' ? 313 : 273;
const kexecFileLoad = process.arch === 'x64' ? 320 : 294;
// <sys/socket.h> on 64-bit machines: struct msghdr, and a control message with a struct ucred.
const messageHeaderBytes = 56;
const vectorBytes = 16;
const controlLengthAt = 40;
const controlBytes = 64;
const credentialsAt = 16;
const userIdAt = credentialsAt + 4;
const credentialsBytes = 12;
const solSocket = 1;
const scmCredentials = 2;
const mapFailed = 0xffff_ffff_ffff_ffffn;

/**
 * Loads the add-on and binds the calls.
 *
 * @throws Fault `failed-precondition` when the add-on cannot be loaded: its file is missing next to the
 * bundle, or Node's permission model forbids add-ons.
 */
export async function loadNativeCalls(): Promise<NativeCalls> {
  const { default: koffi } = await import('koffi').catch((error: unknown) => {
    throw new Fault(
      'failed-precondition',
      `cannot load the add-on for system calls: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  });
  const libc = koffi.load('libc.so.6');
  const socket = libc.func('int socket(int, int, int)');
  const bind = libc.func('int bind(int, const void *, uint32_t)');
  const setsockopt = libc.func('int setsockopt(int, int, int, const void *, uint32_t)');
  const getsockopt = libc.func('int getsockopt(int, int, int, void *, void *)');
  const mmap = libc.func('uintptr_t mmap(uintptr_t, size_t, int, int, int, int64_t)');
  const munmap = libc.func('int munmap(uintptr_t, size_t)');
  const close = libc.func('int close(int)');
  const sendto = libc.func('int64_t sendto(int, const void *, size_t, int, const void *, uint32_t)');
  const recvfrom = libc.func('int64_t recvfrom(int, void *, size_t, int, void *, void *)');
  const recvmsg = libc.func('int64_t recvmsg(int, void *, int)');
  const fallocate = libc.func('int fallocate(int, int, int64_t, int64_t)');
  const prctl = libc.func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)');
  const ioctl = libc.func('int ioctl(int, unsigned long, void *)');
  const mount = libc.func('int mount(const void *, const void *, const void *, unsigned long, const void *)');
  const umount2 = libc.func('int umount2(const void *, int)');
  const setrlimit = libc.func('int setrlimit(int, const void *)');
  const reboot = libc.func('int reboot(int)');
  const exit = libc.func('void _exit(int)');
  const waitid = libc.func('int waitid(int, int, void *, int)');
  const waitpid = libc.func('int waitpid(int, void *, int)');
  // Only for the module and the kernel: other calls by number would escape the list above.
  const syscall = libc.func('long syscall(long, int, const void *, int)');
  const kexecCall = libc.func('long syscall(long, int, int, unsigned long, const void *, unsigned long)');
  const llistxattr = libc.func('int64_t llistxattr(const void *, void *, size_t)');
  const lgetxattr = libc.func('int64_t lgetxattr(const void *, const void *, void *, size_t)');

  const timed = createTimedCalls(libc);

  /** Keeps from the collector what only integers point to. */
  const held: {
    /** What a running call has pointers to. */
    inCall?: readonly Uint8Array[] | undefined;
    /** What the last pointer that was given out points to. A caller that only writes it into a structure holds nothing else. */
    pointedAt?: Uint8Array;
  } = {};

  const checked = (call: string, result: number): number => {
    if (result < 0) throw new SystemCallError(call, koffi.errno());
    return result;
  };

  return {
    socket: (domain, type, protocol) => checked('socket', socket(domain, type | closeOnExec, protocol)),
    bind: (descriptor, address) => void checked('bind', bind(descriptor, address, address.length)),
    setSocketOption: (descriptor, level, name, value) =>
      void checked('setsockopt', setsockopt(descriptor, level, name, value, value.length)),
    getSocketOption(descriptor, level, name, lengthBytes) {
      const value = Buffer.alloc(lengthBytes);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(lengthBytes);
      checked('getsockopt', getsockopt(descriptor, level, name, value, length));
      return value.subarray(0, length.readUInt32LE());
    },
    mapMemory(descriptor, lengthBytes) {
      const address = BigInt(mmap(0, lengthBytes, protectReadWrite, mapShared, descriptor, 0));
      if (BigInt.asUintN(64, address) === mapFailed) throw new SystemCallError('mmap', koffi.errno());
      let isMapped = true;
      return {
        buffer: koffi.view(address, lengthBytes),
        [Symbol.dispose]() {
          if (!isMapped) return;
          isMapped = false;
          checked('munmap', munmap(address, lengthBytes));
        },
      };
    },
    addressOf(bytes) {
      held.pointedAt = bytes;
      return koffi.address(bytes);
    },
    close: (descriptor) => void checked('close', close(descriptor)),
    sendTo: (descriptor, bytes, address) =>
      void checked('sendto', Number(sendto(descriptor, bytes, bytes.length, 0, address, address.length))),
    receiveFrom(descriptor, into, address) {
      const addressLength = Buffer.alloc(4);
      addressLength.writeUInt32LE(address.length);
      const flags = dontWait | tellWholeLength;
      const length = Number(recvfrom(descriptor, into, into.length, flags, address, addressLength));
      if (length >= 0) return length;
      const { errno } = koffi.os;
      if (koffi.errno() === errno.EAGAIN) return undefined;
      throw new SystemCallError('recvfrom', koffi.errno());
    },
    receiveWithSender(descriptor, into, address) {
      // One buffer for all structures, which the call itself is given: the collector does not see the pointers in it.
      const structures = Buffer.alloc(messageHeaderBytes + vectorBytes + controlBytes);
      const message = structures.subarray(0, messageHeaderBytes);
      const vector = structures.subarray(messageHeaderBytes, messageHeaderBytes + vectorBytes);
      const control = structures.subarray(messageHeaderBytes + vectorBytes);
      const start = koffi.address(structures);
      vector.writeBigUInt64LE(koffi.address(into), 0);
      vector.writeBigUInt64LE(BigInt(into.length), 8);
      message.writeBigUInt64LE(koffi.address(address), 0);
      message.writeUInt32LE(address.length, 8);
      message.writeBigUInt64LE(start + BigInt(messageHeaderBytes), 16);
      message.writeBigUInt64LE(1n, 24);
      message.writeBigUInt64LE(start + BigInt(messageHeaderBytes + vectorBytes), 32);
      message.writeBigUInt64LE(BigInt(control.length), controlLengthAt);
      held.inCall = [into, address];
      const length = Number(recvmsg(descriptor, structures, dontWait | tellWholeLength));
      held.inCall = undefined;
      if (length < 0) {
        if (koffi.errno() === koffi.os.errno.EAGAIN) return undefined;
        throw new SystemCallError('recvmsg', koffi.errno());
      }
      const filled = Number(message.readBigUInt64LE(controlLengthAt));
      return { lengthBytes: length, userId: userIdIn(control.subarray(0, filled)) };
    },
    forgetBytes: (descriptor, lengthBytes) =>
      void checked('fallocate', fallocate(descriptor, punchHoleKeepSize, 0, lengthBytes)),
    dropBoundingCapability: (number) => void checked('prctl', prctl(dropFromBoundingSet, number, 0, 0, 0)),
    refuseNewPrivileges: () => void checked('prctl', prctl(setNoNewPrivileges, 1, 0, 0, 0)),
    mount: (source, target, type, flags, data) =>
      void checked('mount', mount(source, target, type, flags, data)),
    detachMount: (target) => void checked('umount2', umount2(target, detachLazily)),
    unmount: (target) => void checked('umount2', umount2(target, 0)),
    setResourceLimit(resource, value) {
      const limits = Buffer.alloc(16);
      limits.writeBigUInt64LE(BigInt(value), 0);
      limits.writeBigUInt64LE(BigInt(value), 8);
      checked('setrlimit', setrlimit(resource, limits));
    },
    syncFileSystems(timeoutMs) {
      const isDone = timed.runInThread('sync', timeoutMs);
      if (isDone !== undefined) return isDone;
      // Without a thread it has no limit of its own.
      libc.func('void sync(void)')();
      return true;
    },
    endMachineLater(command, delayMs) {
      if (!timed.callLater('reboot', command, delayMs))
        throw new SystemCallError('timer_create', koffi.errno());
    },
    setRealTimeClock(unixMs) {
      const microseconds = BigInt(Math.round(unixMs * 1000));
      const time = Buffer.alloc(16);
      time.writeBigInt64LE(microseconds / 1_000_000n, 0);
      time.writeBigInt64LE((microseconds % 1_000_000n) * 1000n, 8);
      // Bound here: only machines call it.
      const settime = libc.func('int clock_settime(int, const void *)');
      checked('clock_settime', settime(clockRealTime, time));
    },
    endMachine: (command) => void checked('reboot', reboot(command)),
    exit: (code) => void exit(code),
    endedChildren() {
      const endedOf = (kind: number, id: number): number[] => {
        const info = Buffer.alloc(siginfoBytes);
        // ECHILD: there is no such child any more, or none at all.
        const pid = waitid(kind, id, info, peekAtEnded) < 0 ? 0 : info.readInt32LE(siginfoPidAt);
        return pid === 0 ? [] : [pid];
      };
      return ownChildren()?.flatMap((pid) => endedOf(oneChild, pid)) ?? endedOf(allChildren, 0);
    },
    forgetChild: (pid) => void checked('waitpid', waitpid(pid, Buffer.alloc(4), doNotHang)),
    statusOfChild(pid) {
      const status = Buffer.alloc(4);
      const ended = checked('waitpid', waitpid(pid, status, doNotHang));
      return ended === 0 ? undefined : status.readInt32LE();
    },
    loadModule: (descriptor, parameters, flags) =>
      new Promise((resolve, reject) => {
        syscall.async(finitModule, descriptor, parameters, flags, (error: unknown, result: unknown) => {
          if (error) reject(error);
          else if (Number(result) < 0) reject(new SystemCallError('finit_module', koffi.errno()));
          else resolve();
        });
      }),
    loadKernel: (kernel, initramfs, commandLine) =>
      new Promise((resolve, reject) => {
        const length = commandLine.length;
        const done = (error: unknown, result: unknown) => {
          if (error) reject(error);
          else if (Number(result) < 0) reject(new SystemCallError('kexec_file_load', koffi.errno()));
          else resolve();
        };
        kexecCall.async(kexecFileLoad, kernel, initramfs, length, commandLine, 0, done);
      }),
    control: (descriptor, request, argument) => void checked('ioctl', ioctl(descriptor, request, argument)),
    watchReadable(descriptor, onReadable) {
      let isOpen = true;
      let isDue = false;
      // Node.js runs no promise callbacks after a call from the poll itself, so the work is done later in the
      // same turn.
      const whenReady = (status: unknown) => {
        if (isDue) return;
        isDue = true;
        setImmediate(() => {
          isDue = false;
          if (isOpen) onReadable();
          // An error of the socket, such as lost messages, ends the poll; the read has cleared the error by
          // now.
          if (isOpen && status !== 0) handle.start(whenReady);
        });
      };
      const handle = koffi.node.poll(descriptor, whenReady);
      handle.unref();
      return {
        [Symbol.dispose]() {
          if (!isOpen) return;
          isOpen = false;
          handle.close();
        },
      };
    },
    listAttributes: (path) =>
      askAttribute('llistxattr', (into, done) => llistxattr.async(path, into, into.length, done)),
    getAttribute: (path, name) =>
      askAttribute('lgetxattr', (into, done) => lgetxattr.async(path, name, into, into.length, done)),
  };

  /**
   * @param ask writes into the buffer and calls back with the number of bytes, which is negative after a
   * failure
   */
  function askAttribute(
    call: string,
    ask: (into: Buffer, done: (error: unknown, length: unknown) => void) => void,
  ): Promise<Buffer> {
    const value = Buffer.allocUnsafe(maxAttributeBytes);
    return new Promise((resolve, reject) => {
      ask(value, (error, length) => {
        if (error) reject(error);
        else if (Number(length) < 0) reject(new SystemCallError(call, koffi.errno()));
        else resolve(Buffer.from(value.subarray(0, Number(length))));
      });
    });
  }
}

/** The user in the control message of a datagram; undefined when the message has no credentials. */
function userIdIn(control: Buffer): number | undefined {
  if (control.length < credentialsAt + credentialsBytes) return undefined;
  const isCredentials = control.readInt32LE(8) === solSocket && control.readInt32LE(12) === scmCredentials;
  return isCredentials ? control.readUInt32LE(userIdAt) : undefined;
}
