import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from './native-calls.ts';
import { parseUevent, type Uevent } from './parse-uevent.ts';

export interface UeventWatchInit {
  readonly onEvent: (event: Uevent) => void;
  /** Messages were lost: anything may have changed. */
  readonly onLost: () => void;
  /** The watch has failed with a Fault and reports nothing more. The caller disposes of it. */
  readonly onError: (error: unknown) => void;
}

const netlinkFamily = 16;
const rawSocket = 3;
const ueventProtocol = 15;
/** The multicast group of the kernel; udev sends its own events to another group. */
const kernelGroup = 1;
const socketLevel = 1;
const receiveBufferSize = 8;
const receiveBufferBytes = 1 << 20;
const addressBytes = 12;
const senderOffset = 4;
/** The messages of the kernel are shorter. */
const messageBytes = 8192;
/** Maximum number of messages per turn of the event loop, so that other work gets its turn. */
const maxEventsATurn = 256;

/**
 * Watches devices that are added, removed or changed, from its return until it is disposed of. Messages that
 * are not from the kernel are ignored. It does not keep the process alive.
 *
 * @throws Fault if the kernel has no such messages, or the process may not receive them
 */
export function watchUevents(calls: NativeCalls, { onEvent, onLost, onError }: UeventWatchInit): Disposable {
  using scope = new DisposableStack();
  const descriptor = attempt(() => calls.socket(netlinkFamily, rawSocket, ueventProtocol));
  scope.defer(() => calls.close(descriptor));
  attempt(() => {
    calls.setSocketOption(descriptor, socketLevel, receiveBufferSize, word(receiveBufferBytes));
    calls.bind(descriptor, address(kernelGroup));
  });
  const [message, sender] = [Buffer.alloc(messageBytes), Buffer.alloc(addressBytes)];
  const readable = scope.use(
    calls.watchReadable(descriptor, () => {
      try {
        for (let count = 0; count < maxEventsATurn; count += 1) {
          const length = receive();
          if (length === undefined) return;
          if (length === 'lost') onLost();
          else if (sender.readUInt32LE(senderOffset) === 0) {
            const event = parseUevent(message.subarray(0, length));
            if (event !== undefined) onEvent(event);
          }
        }
      } catch (error) {
        readable[Symbol.dispose]();
        onError(faultFrom(error));
      }
    }),
  );

  function receive(): number | 'lost' | undefined {
    try {
      return calls.receiveFrom(descriptor, message, sender);
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOBUFS') return 'lost';
      throw error;
    }
  }
  return scope.move();
}

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw faultFrom(error);
  }
}

/** A `struct sockaddr_nl` whose port id the kernel chooses. */
function address(groups: number): Uint8Array {
  const bytes = Buffer.alloc(addressBytes);
  bytes.writeUInt16LE(netlinkFamily, 0);
  bytes.writeUInt32LE(groups, 8);
  return bytes;
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
