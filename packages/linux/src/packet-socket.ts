import { Fault, faultFrom } from '@nodewright/fault';
import type { NativeCalls } from './native-calls.ts';
import { type CapturedPacket, PacketRing } from './packet-ring.ts';

/** One instruction of a classic BPF program, as in <linux/filter.h>. */
export interface FilterInstruction {
  readonly op: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

export interface PacketSocketInit {
  /** Interface index. */
  readonly linkIndex: number;
  /** Drops outgoing packets: on the loopback device everything that is sent is also received. */
  readonly onlyReceived: boolean;
  /**
   * Sets promiscuous mode until the socket is closed: the device also delivers packets to other addresses.
   */
  readonly promiscuous: boolean;
  /** The filter; empty means all packets. */
  readonly filter: readonly FilterInstruction[];
}

/**
 * A capture on a network device. The kernel buffers 4 MiB of packets; further packets are dropped and
 * counted.
 */
export interface PacketSocket extends Disposable {
  /** The captured packets, oldest first, at most 256 KiB; undefined when there are none. Never waits. */
  take(): CapturedPacket[] | undefined;
  /** Packets since the last call: all that matched the filter, and those that were dropped. */
  takeStatistics(): { readonly passed: number; readonly lost: number };
}

const packetFamily = 17;
const rawSocket = 3;
const everyProtocol = 3;
const socketLevel = 1;
const attachFilter = 26;
const packetLevel = 263;
const addMembership = 1;
const receiveRing = 5;
const statistics = 6;
const version = 10;
const ignoreOutgoing = 23;
const promiscuousMembership = 1;
const thirdVersion = 2;

const blockBytes = 256 * 1024;
const blockCount = 16;
const frameBytes = 2048;
/** A block that is not full is delivered after this time. */
const blockTimeoutMs = 50;

/**
 * Starts a capture. Needs CAP_NET_RAW in the user namespace of the network.
 *
 * @throws Fault `permission-denied` without the capability, `invalid-argument` for a filter that the kernel
 * refuses.
 */
export function openPacketSocket(calls: NativeCalls, init: PacketSocketInit): PacketSocket {
  using scope = new DisposableStack();
  // Without a protocol it receives nothing yet, so no packet arrives before the filter is set.
  const socket = openSocket(calls);
  scope.defer(() => calls.close(socket));
  const set = (level: number, option: number, ...words: number[]) =>
    calls.setSocketOption(socket, level, option, bytesFromWords(words));

  if (init.filter.length > 0) attach(calls, socket, init.filter);
  set(packetLevel, version, thirdVersion);
  const frameCount = (blockBytes / frameBytes) * blockCount;
  set(packetLevel, receiveRing, blockBytes, blockCount, frameBytes, frameCount, blockTimeoutMs, 0, 0);
  const memory = scope.use(calls.mapMemory(socket, blockBytes * blockCount));
  if (init.onlyReceived) set(packetLevel, ignoreOutgoing, 1);
  if (init.promiscuous) set(packetLevel, addMembership, init.linkIndex, promiscuousMembership, 0, 0);
  calls.bind(socket, linkAddress(init.linkIndex));

  let ring: PacketRing | undefined = new PacketRing(memory.buffer, blockBytes);
  const resources = scope.move();
  return {
    take: () => ring?.take(),
    takeStatistics() {
      const counters = calls.getSocketOption(socket, packetLevel, statistics, 12);
      const view = new DataView(counters.buffer, counters.byteOffset, counters.byteLength);
      return { passed: view.getUint32(0, true), lost: view.getUint32(4, true) };
    },
    [Symbol.dispose]() {
      // Access to the memory after it is unmapped would crash the process.
      ring = undefined;
      resources.dispose();
    },
  };
}

function openSocket(calls: NativeCalls): number {
  try {
    return calls.socket(packetFamily, rawSocket, 0);
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind !== 'permission-denied') throw fault;
    throw new Fault(
      'permission-denied',
      'capturing packets needs CAP_NET_RAW, which this process does not have',
      {
        cause: error,
      },
    );
  }
}

function attach(calls: NativeCalls, socket: number, filter: readonly FilterInstruction[]): void {
  const program = Buffer.alloc(filter.length * 8);
  for (const [index, { op, jt, jf, k }] of filter.entries()) {
    program.writeUInt16LE(op, index * 8);
    program.writeUInt8(jt, index * 8 + 2);
    program.writeUInt8(jf, index * 8 + 3);
    program.writeUInt32LE(k, index * 8 + 4);
  }
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt16LE(filter.length);
  descriptor.writeBigUInt64LE(calls.addressOf(program), 8);
  try {
    calls.setSocketOption(socket, socketLevel, attachFilter, descriptor);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'EINVAL') throw faultFrom(error);
    throw new Fault('invalid-argument', `the kernel refuses the filter of ${filter.length} instructions`, {
      cause: error,
    });
  }
}

function bytesFromWords(words: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, index * 4);
  return bytes;
}

/** A `struct sockaddr_ll` for all protocols. */
function linkAddress(linkIndex: number): Uint8Array {
  const address = Buffer.alloc(20);
  address.writeUInt16LE(packetFamily, 0);
  address.writeUInt16BE(everyProtocol, 2);
  address.writeInt32LE(linkIndex, 4);
  return address;
}
