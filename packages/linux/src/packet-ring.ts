// The memory that the kernel fills with packets, in the TPACKET_V3 layout of <linux/if_packet.h>: blocks,
// each with a header, a status word for its owner, and a chain of packets.

/** A packet as the device received or sent it. */
export interface CapturedPacket {
  /** Time of the capture, Unix time. */
  readonly seconds: number;
  readonly nanoseconds: number;
  /** Original length; `data` is shorter when the packet was truncated. */
  readonly lengthBytes: number;
  /** A copy, valid after the ring is gone. */
  readonly data: Buffer;
}

const statusOffset = 8;
const packetCountOffset = 12;
const firstPacketOffset = 16;
const packetHeaderBytes = 48;
/**
 * The bit of a status word that marks the block as readable for this process; otherwise it belongs to the
 * kernel.
 */
const ofUser = 1;
const ofKernel = 0;

/** Reads a ring block by block. */
export class PacketRing {
  readonly #buffer: ArrayBuffer;
  readonly #status: Int32Array;
  readonly #blockBytes: number;
  readonly #blockCount: number;
  #next = 0;

  /** @param buffer whole blocks of `blockBytes`, which is a multiple of 4. */
  constructor(buffer: ArrayBuffer, blockBytes: number) {
    this.#buffer = buffer;
    this.#status = new Int32Array(buffer);
    this.#blockBytes = blockBytes;
    this.#blockCount = Math.floor(buffer.byteLength / blockBytes);
  }

  /**
   * The packets of the next block, which is then returned to the kernel; undefined while the kernel still
   * fills it.
   */
  take(): CapturedPacket[] | undefined {
    const start = this.#next * this.#blockBytes;
    const statusIndex = (start + statusOffset) / 4;
    // The kernel writes the status last: what is read after it is complete, on every processor.
    if ((Atomics.load(this.#status, statusIndex) & ofUser) === 0) return undefined;
    const packets = packetsOfBlock(new DataView(this.#buffer, start, this.#blockBytes));
    Atomics.store(this.#status, statusIndex, ofKernel);
    this.#next = (this.#next + 1) % this.#blockCount;
    return packets;
  }
}

/** The packets of one block. An offset outside of the block ends the chain. */
export function packetsOfBlock(block: DataView): CapturedPacket[] {
  const count = block.getUint32(packetCountOffset, true);
  const packets: CapturedPacket[] = [];
  let at = block.getUint32(firstPacketOffset, true);
  for (let index = 0; index < count && at + packetHeaderBytes <= block.byteLength; index += 1) {
    const storedBytes = block.getUint32(at + 12, true);
    const data = at + block.getUint16(at + 24, true);
    if (data + storedBytes > block.byteLength) break;
    packets.push({
      seconds: block.getUint32(at + 4, true),
      nanoseconds: block.getUint32(at + 8, true),
      lengthBytes: block.getUint32(at + 16, true),
      data: Buffer.from(block.buffer.slice(block.byteOffset + data, block.byteOffset + data + storedBytes)),
    });
    const step = block.getUint32(at, true);
    if (step === 0) break;
    at += step;
  }
  return packets;
}
