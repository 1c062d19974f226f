// For tests: a network namespace of their own, in which they may change anything, and functions to change it.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import koffi from 'koffi';
import { capabilities, hasCapability } from '../effective-capabilities.ts';
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import {
  encodeMessage,
  errorNumberOf,
  messagesOf,
  netlinkFlags,
  netlinkHeaderBytes,
} from './netlink-message.ts';

/** Why a test cannot have a network namespace of its own; false when it can. */
export const noOwnNamespace = hasCapability(capabilities.systemAdmin)
  ? false
  : 'a network namespace of its own needs CAP_SYS_ADMIN: run as root';

const newNetwork = 0x4000_0000;

/**
 * Moves this thread, and the programs that it starts, to a new network namespace with a loopback device that
 * is up.
 */
export function enterOwnNamespace(): void {
  const unshare = koffi.load('libc.so.6').func('int unshare(int)');
  if (unshare(newNetwork) !== 0) throw new Error(`unshare: errno ${koffi.errno()}`);
  ip('link set lo up');
}

const namespaceOfThread = () => readlinkSync('/proc/thread-self/ns/net');
const startedIn = namespaceOfThread();

/**
 * For tests that change everything in the namespace of this thread.
 *
 * @throws Error in the network namespace in which this process has started
 */
export function requireOwnNamespace(): void {
  if (namespaceOfThread() === startedIn) throw new Error('this is the network namespace of the host');
}

/** A network namespace of another process. Disposing of it closes its descriptors. */
export interface OtherNamespace extends Disposable {
  /** Runs `work` in it, which must not wait for anything: all other code of this thread stays where it is. */
  run<T>(work: () => T): T;
}

/** @param pid of a process in the namespace, which may end afterwards */
export function openNamespaceOf(pid: number): OtherNamespace {
  const setns = koffi.load('libc.so.6').func('int setns(int, int)');
  using scope = new DisposableStack();
  const open = (of: number | 'self') => {
    const descriptor = openSync(`/proc/${of}/ns/net`, 'r');
    scope.defer(() => closeSync(descriptor));
    return descriptor;
  };
  const [own, other] = [open('self'), open(pid)];
  const enter = (descriptor: number) => {
    if (setns(descriptor, newNetwork) !== 0) throw new Error(`setns: errno ${koffi.errno()}`);
  };
  const opened = scope.move();
  return {
    run(work) {
      enter(other);
      try {
        return work();
      } finally {
        enter(own);
      }
    },
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** Runs `ip` with these arguments. */
export const ip = (words: string): string => execFileSync('ip', words.split(' '), { encoding: 'utf8' });

export interface AddressChanger extends Disposable {
  /** Adds or removes `<a>.<b>.<c>.<d>/32` and waits until the kernel has done it. */
  add(linkIndex: number, address: readonly number[]): void;
  remove(linkIndex: number, address: readonly number[]): void;
}

/** Changes many addresses without starting a program. */
export function openAddressChanger(calls: NativeCalls): AddressChanger {
  const kernel = Buffer.alloc(12);
  kernel.writeUInt16LE(16);
  const socket = calls.socket(16, 3, 0);
  calls.bind(socket, kernel);
  const answer = Buffer.alloc(4096);
  let sequence = 0;
  const change = (type: number, moreFlags: number) => (linkIndex: number, address: readonly number[]) => {
    const header = Buffer.from([2, 32, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32LE(linkIndex, 4);
    const bytes = Uint8Array.from(address);
    const payload = Buffer.concat([header, encodeAttribute(1, bytes), encodeAttribute(2, bytes)]);
    const flags = netlinkFlags.request | netlinkFlags.acknowledge | moreFlags;
    sequence += 1;
    calls.sendTo(socket, encodeMessage({ type, flags, sequence, payload }), kernel);
    const length = calls.receiveFrom(socket, answer, Buffer.alloc(12)) ?? 0;
    if (length < netlinkHeaderBytes) throw new Error('the kernel does not answer');
    const [message] = messagesOf(answer.subarray(0, length));
    const errno = message === undefined ? -1 : errorNumberOf(message);
    if (errno !== 0) throw new Error(`the kernel refuses ${address.join('.')}: errno ${errno}`);
  };
  return {
    add: change(20, netlinkFlags.create | netlinkFlags.exclusive),
    remove: change(21, 0),
    [Symbol.dispose]: () => calls.close(socket),
  };
}
