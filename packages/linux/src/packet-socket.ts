import { Fault, faultFrom } from '@nodewright/fault';
import { linkAddress, packetFamily } from './link-address.ts';
import type { NativeCalls } from './native-calls.ts';
import { type CapturedPacket, PacketRing } from './packet-ring.ts';
import { attachFilter, type FilterInstruction } from './socket-filter.ts';

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

const rawSocket = 3;
const everyProtocol = 3;
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

  if (init.filter.length > 0) attachFilter(calls, socket, init.filter);
  set(packetLevel, version, thirdVersion);
  const frameCount = (blockBytes / frameBytes) * blockCount;
  set(packetLevel, receiveRing, blockBytes, blockCount, frameBytes, frameCount, blockTimeoutMs, 0, 0);
  const memory = scope.use(calls.mapMemory(socket, blockBytes * blockCount));
  if (init.onlyReceived) set(packetLevel, ignoreOutgoing, 1);
  if (init.promiscuous) set(packetLevel, addMembership, init.linkIndex, promiscuousMembership, 0, 0);
  calls.bind(socket, linkAddress(init.linkIndex, everyProtocol));

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

function bytesFromWords(words: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, index * 4);
  return bytes;
}
