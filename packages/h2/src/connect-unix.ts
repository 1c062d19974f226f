import { connect, type Socket } from 'node:net';

/** Size of a block, in bytes: that of a read of the runtime. */
const blockBytes = 64 * 1024;
/** Reads of at least this size stay where they are, one behind the other; smaller ones are copied out of the block. */
const keptBytes = 8 * 1024;
/** With less room than this, the next read begins a new block. */
const leastRoomBytes = 16 * 1024;

/**
 * Connects to a unix socket and reads into blocks of memory. By default the runtime allocates 64 KiB for
 * each read, whatever arrives: at a few thousand small messages per second V8 then marks the whole heap twenty
 * times per second, which takes a third of the processor time. The reads of a long body are consecutive in
 * memory, so that the gateway can pass many frames on in one piece.
 */
export function connectUnix(path: string): Socket {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let used = 0;
  /** Whether the socket has the free part of the block. */
  let isGiven = false;
  const socket: Socket = connect({
    path,
    onread: {
      buffer: () => {
        // Without another buffer the socket goes on with the one that it has.
        if (isGiven) return undefined as unknown as Uint8Array;
        if (blockBytes - used < leastRoomBytes) {
          block = Buffer.allocUnsafeSlow(blockBytes);
          used = 0;
        }
        isGiven = true;
        return block.subarray(used);
      },
      callback(length, bytes) {
        if (length < keptBytes) return socket.push(Buffer.from(bytes.subarray(0, length)));
        used += length;
        isGiven = false;
        return socket.push(Buffer.from(bytes.buffer, bytes.byteOffset, length));
      },
    },
  });
  return socket;
}
