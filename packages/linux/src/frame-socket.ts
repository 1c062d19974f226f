// A few Ethernet frames in both directions, for protocols that need no address. Captures, which are many, use packet-socket.ts.
import type { Timers } from '@nodewright/async';
import { readLimited } from './limited-reader.ts';
import { linkAddress, packetFamily } from './link-address.ts';
import type { NativeCalls } from './native-calls.ts';
import { attachFilter, type FilterInstruction } from './socket-filter.ts';

export interface FrameSocketInit {
  readonly linkIndex: number;
  /** The type of the frames, such as 0x0800. */
  readonly etherType: number;
  /** What the kernel passes on; empty: all frames of the type. */
  readonly filter: readonly FilterInstruction[];
  /** Longer frames are dropped. */
  readonly longestBytes: number;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** Called with each frame of others, which is valid only during the call. */
  readonly onFrame: (frame: Uint8Array) => void;
  /** Reception has failed with a Fault, and nothing more comes. The caller disposes of the socket. */
  readonly onError: (error: unknown) => void;
}

export interface FrameSocket extends Disposable {
  /**
   * Sends a whole frame.
   *
   * @throws SystemCallError when the kernel does not take it, `ENETDOWN` while the link is down
   */
  send(frame: Uint8Array): void;
}

const rawSocket = 3;
const nonBlocking = 0o4000;
// <asm-generic/socket.h>
const socketLevel = 1;
const receiveBuffer = 8;
/** What the kernel keeps until it is read. It drops frames that come when the buffer is full. */
const receiveBufferBytes = 128 * 1024;
/** Frames that are read in one turn of the event loop, so that other work gets its turn. */
const mostFramesATurn = 32;
/** Frames that are read in a second. */
export const mostFramesASecond = 256;
/**
 * `PACKET_OTHERHOST`: frames to other hosts, which a promiscuous link takes, and frames of VLANs that the link does not have, which
 * the kernel hands over without their tag. `PACKET_OUTGOING`: what this host has sent. Source: packet(7).
 */
const foreignPacketTypes: ReadonlySet<number | undefined> = new Set([3, 4]);
const packetTypeOffset = 10;

/**
 * Opens a socket for the frames of one type on one link. It needs CAP_NET_RAW, uses no thread, and does not keep the process alive.
 *
 * @throws SystemCallError without the capability, or when the link is gone; Fault `invalid-argument` for a filter that the kernel refuses
 */
export function openFrameSocket(calls: NativeCalls, init: FrameSocketInit): FrameSocket {
  const { linkIndex, etherType, filter, longestBytes, timers, onFrame, onError } = init;
  using scope = new DisposableStack();
  // Without a protocol it receives nothing yet, so no frame arrives before the filter is set.
  const socket = calls.socket(packetFamily, rawSocket | nonBlocking, 0);
  scope.defer(() => calls.close(socket));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(receiveBufferBytes);
  calls.setSocketOption(socket, socketLevel, receiveBuffer, size);
  if (filter.length > 0) attachFilter(calls, socket, filter);
  calls.bind(socket, linkAddress(linkIndex, etherType));

  const frame = Buffer.alloc(longestBytes);
  const sender = Buffer.alloc(20);
  const read = (): boolean => {
    let length: number | undefined;
    try {
      length = calls.receiveFrom(socket, frame, sender);
    } catch (error) {
      // The kernel says once that the link went down. Frames come again when it is up.
      if ((error as { code?: string }).code === 'ENETDOWN') return true;
      throw error;
    }
    if (length === undefined) return false;
    if (length <= longestBytes && !foreignPacketTypes.has(sender[packetTypeOffset]))
      onFrame(frame.subarray(0, length));
    return true;
  };
  scope.use(
    readLimited(calls, {
      descriptor: socket,
      ...{ mostASecond: mostFramesASecond, mostATurn: mostFramesATurn },
      ...{ timers, read, onError },
    }),
  );
  const resources = scope.move();
  return {
    send: (bytes) => calls.sendTo(socket, bytes, linkAddress(linkIndex, etherType)),
    [Symbol.dispose]: () => resources.dispose(),
  };
}
