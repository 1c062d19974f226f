import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '@nodewright/linux';
import type { DeviceEvent } from '../domain/device-event.ts';
import { deviceLimits } from '../domain/limits.ts';
import { parseKernelMessage, parseMonitorMessage } from '../domain/parse-message.ts';

export interface EventListener {
  readonly onEvent: (event: DeviceEvent) => void;
  /** Messages were lost: anything may have changed. */
  readonly onLost: () => void;
  /** Called once with a Fault when no more events will come. */
  readonly onError: (error: unknown) => void;
}

// <linux/netlink.h>, <sys/socket.h>
const netlinkFamily = 16;
const rawSocket = 3;
const ueventProtocol = 15;
/** Multicast groups as bits: that of the kernel, and that of udevd. */
const kernelGroup = 1;
const udevdGroup = 2;
const socketLevel = 1;
const options = { receiveBuffer: 8, passCredentials: 16, forcedReceiveBuffer: 33 } as const;
const addressBytes = 12;
const portAt = 4;
const groupsAt = 8;
/** Of root, and of the kernel. */
const rootId = 0;

/**
 * Receives the events of the kernel and of udevd on one socket, in their order, from its return until it is disposed of. It
 * ignores messages of anybody else: any process of the network namespace may send to the socket. It does not keep the
 * process alive.
 *
 * @throws Fault if the kernel has no such messages, or the process may not receive them
 */
export function openEventSocket(calls: NativeCalls, listener: EventListener): Disposable {
  using scope = new DisposableStack();
  const descriptor = attempt(() => calls.socket(netlinkFamily, rawSocket, ueventProtocol));
  scope.defer(() => calls.close(descriptor));
  attempt(() => {
    growReceiveBuffer(calls, descriptor);
    calls.setSocketOption(descriptor, socketLevel, options.passCredentials, word(1));
    calls.bind(descriptor, groupAddress(kernelGroup | udevdGroup));
  });
  const message = Buffer.alloc(deviceLimits.messageBytes);
  const sender = Buffer.alloc(addressBytes);
  const readable = scope.use(
    calls.watchReadable(descriptor, () => {
      try {
        // Other work gets its turn between.
        for (let count = 0; count < deviceLimits.messagesPerTurn; count += 1) if (!receive()) return;
      } catch (error) {
        readable[Symbol.dispose]();
        listener.onError(faultFrom(error));
      }
    }),
  );

  /** @returns whether there may be another message */
  function receive(): boolean {
    let received: ReturnType<NativeCalls['receiveWithSender']>;
    try {
      received = calls.receiveWithSender(descriptor, message, sender);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOBUFS') throw error;
      listener.onLost();
      return true;
    }
    if (received === undefined) return false;
    const source = sourceOf(sender, received.userId);
    if (source === undefined) return true;
    if (received.lengthBytes > message.length) {
      listener.onLost();
      return true;
    }
    const bytes = message.subarray(0, received.lengthBytes);
    const event = source === 'kernel' ? parseKernelMessage(bytes) : parseMonitorMessage(bytes);
    if (event !== undefined) listener.onEvent(event);
    return true;
  }
  return scope.move();
}

/**
 * Who has sent a message, by its address and by the user that the kernel vouches for; undefined for anybody else. Only the
 * kernel has port 0. A message that was sent to this socket alone has no group. Source: netlink(7).
 */
export function sourceOf(sender: Buffer, userId: number | undefined): DeviceEvent['source'] | undefined {
  if (userId !== rootId) return undefined;
  const [port, groups] = [sender.readUInt32LE(portAt), sender.readUInt32LE(groupsAt)];
  if (groups === kernelGroup && port === 0) return 'kernel';
  return groups === udevdGroup && port !== 0 ? 'udevd' : undefined;
}

/** Root may exceed the limit of the kernel's settings. */
function growReceiveBuffer(calls: NativeCalls, descriptor: number): void {
  const bytes = word(deviceLimits.receiveBufferBytes);
  try {
    calls.setSocketOption(descriptor, socketLevel, options.forcedReceiveBuffer, bytes);
  } catch {
    calls.setSocketOption(descriptor, socketLevel, options.receiveBuffer, bytes);
  }
}

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw faultFrom(error);
  }
}

/** A `struct sockaddr_nl` whose port the kernel chooses. */
function groupAddress(groups: number): Uint8Array {
  const bytes = Buffer.alloc(addressBytes);
  bytes.writeUInt16LE(netlinkFamily, 0);
  bytes.writeUInt32LE(groups, groupsAt);
  return bytes;
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
