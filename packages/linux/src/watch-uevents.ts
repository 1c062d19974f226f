import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from './native-calls.ts';
import { parseUevent, type Uevent } from './parse-uevent.ts';

export interface UeventWatchInit {
  readonly onEvent: (event: Uevent) => void;
  /** News were lost: anything may have changed. */
  readonly onLost: () => void;
  /** The watch has broken, with a Fault, and tells nothing more. The caller disposes it. */
  readonly onError: (error: unknown) => void;
}

const netlinkFamily = 16;
const rawSocket = 3;
const ueventProtocol = 15;
/** The kernel's own news; what udev makes of them is another group. */
const kernelGroup = 1;
const socketLevel = 1;
const receiveBufferSize = 8;
const receiveBufferBytes = 1 << 20;
const addressBytes = 12;
const senderOffset = 4;
/** The kernel's are shorter. */
const messageBytes = 8192;
/** In one turn of the event loop; after it others have theirs. */
const maxEventsATurn = 256;

/**
 * Tells of devices that come, go and change, from the moment that it returns until it is disposed. Only the kernel is
 * believed. Keeps no process alive.
 *
 * @throws Fault where the kernel has no such news, or the process may not have them
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

/** A `struct sockaddr_nl` whose number the kernel chooses. */
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
