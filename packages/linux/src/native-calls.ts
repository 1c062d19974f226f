// The only file that calls the kernel past Node.js. The native add-on behind it costs 5 MB of memory, so it is loaded
// by those who need it and not before.
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';

/** A system call that failed. `code` is the name of its errno, as in the errors of Node.js. */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError';
  readonly code: string;

  constructor(call: string, errno: number) {
    const code = getSystemErrorName(-errno);
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** Memory that the kernel shares with this process. Nothing may look at `buffer` after it has been disposed. */
export interface MappedMemory extends Disposable {
  readonly buffer: ArrayBuffer;
}

/** System calls that Node.js does not have. Each throws a SystemCallError. None of them blocks. */
export interface NativeCalls {
  /** The caller closes the descriptor. It is not inherited by child processes. */
  socket(domain: number, type: number, protocol: number): number;
  bind(descriptor: number, address: Uint8Array): void;
  setSocketOption(descriptor: number, level: number, name: number, value: Uint8Array): void;
  /** @param lengthBytes how long the value is at most. */
  getSocketOption(descriptor: number, level: number, name: number, lengthBytes: number): Uint8Array;
  /** Maps the descriptor's memory, readable and writable for both sides. */
  mapMemory(descriptor: number, lengthBytes: number): MappedMemory;
  /** Where the bytes lie now, for structures that hold pointers. The caller keeps them alive over the call. */
  addressOf(bytes: Uint8Array): bigint;
  close(descriptor: number): void;
  /**
   * The names of the extended attributes of a file, each ending with a NUL byte. Does not follow a link.
   *
   * @param path ends with a NUL byte
   */
  listAttributes(path: Uint8Array): Buffer;
  /** @param name ends with a NUL byte, as `path` */
  getAttribute(path: Uint8Array, name: Uint8Array): Buffer;
}

const closeOnExec = 0o2000000;
const protectReadWrite = 1 | 2;
const mapShared = 1;
/** No list of attributes and no value of one is longer. */
const maxAttributeBytes = 65_536;
const mapFailed = 0xffff_ffff_ffff_ffffn;

/**
 * Loads the add-on and binds the calls.
 *
 * @throws Fault `failed-precondition` when the add-on cannot be loaded: its file is not beside the bundle, or Node's
 *   permission model forbids add-ons.
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
  const llistxattr = libc.func('int64_t llistxattr(const void *, void *, size_t)');
  const lgetxattr = libc.func('int64_t lgetxattr(const void *, const void *, void *, size_t)');

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
    addressOf: (bytes) => koffi.address(bytes),
    close: (descriptor) => void checked('close', close(descriptor)),
    listAttributes(path) {
      const list = Buffer.allocUnsafe(maxAttributeBytes);
      return Buffer.from(
        list.subarray(0, checked('llistxattr', Number(llistxattr(path, list, list.length)))),
      );
    },
    getAttribute(path, name) {
      const value = Buffer.allocUnsafe(maxAttributeBytes);
      const length = checked('lgetxattr', Number(lgetxattr(path, name, value, value.length)));
      return Buffer.from(value.subarray(0, length));
    },
  };
}
