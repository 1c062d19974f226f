import { connect, type Socket } from 'node:net';
import { type ReadBlock, ReadBlocks, readBlockBytes, roomBytes } from './read-blocks.ts';

/** With less room than this, the next read begins a new block. */
const leastRoomBytes = readBlockBytes / 2;

/** Gets the bytes from `start` to `end` of a block, which it must hold, or copy what it keeps. `roomBytes` before `start` are free. */
export type BlockReader = (block: ReadBlock, start: number, end: number) => void;

/** Sets the reader of each socket. */
const setters = new WeakMap<Socket, (read: BlockReader) => void>();
const sharedBlocks = new ReadBlocks();

/**
 * Passes what this socket reads to `read` instead of emitting it, without an object per read. Bytes that had been read before are
 * still emitted, before the first call. Without effect on a socket that is not from `connectUnix`.
 */
export function readInBlocks(socket: Socket, read: BlockReader): void {
  setters.get(socket)?.(read);
}

/**
 * Connects to a unix socket and reads into blocks of memory that are used again. By default the runtime allocates 64 KiB for
 * each read, whatever arrives: at a few thousand small messages per second V8 then marks the whole heap twenty
 * times per second, which takes a third of the processor time.
 */
export function connectUnix(path: string, blocks: ReadBlocks = sharedBlocks): Socket {
  let block = blocks.take();
  let used = roomBytes;
  /** Whether the socket has the free part of the block. */
  let isGiven = false;
  let read: BlockReader | undefined;
  const socket: Socket = connect({
    path,
    onread: {
      buffer: () => {
        // Without another buffer the socket goes on with the one that it has.
        if (isGiven) return undefined as unknown as Uint8Array;
        if (block.memory.length - used < leastRoomBytes) {
          block.release();
          block = blocks.take();
          used = roomBytes;
        }
        isGiven = true;
        return block.memory.subarray(used);
      },
      callback(length) {
        // A program that reads the socket as a stream may keep the chunk, so it gets a copy.
        if (read === undefined || socket.readableLength > 0)
          return socket.push(Buffer.from(block.memory.subarray(used, used + length)));
        read(block, used, used + length);
        // What nobody holds is overwritten by the next read.
        if (block.isShared) {
          used += length + roomBytes;
          isGiven = false;
        }
        return true;
      },
    },
  });
  setters.set(socket, (reader) => {
    read = reader;
  });
  return socket;
}
