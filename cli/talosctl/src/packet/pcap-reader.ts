import { Fault } from '@nodewright/fault';

/** A packet of a capture. */
export interface PcapPacket {
  /** Link type: 1 means that `data` begins with an Ethernet header, 101 with an IP header. */
  readonly linkType: number;
  readonly seconds: number;
  readonly nanoseconds: number;
  /** Original length in bytes; `data` may be shorter. */
  readonly lengthBytes: number;
  readonly data: Buffer;
}

const headerBytes = 24;
const recordHeaderBytes = 16;
/** No network packet is larger: a larger length means that the stream is not a capture. */
const maxPacketBytes = 16 * 1024 * 1024;

/**
 * Nanoseconds per unit of the fraction of a second, by the magic number; byte-swapped for captures from other
 * machines.
 */
const units = new Map([
  [0xa1b2_c3d4, 1000],
  [0xa1b2_3c4d, 1],
]);

interface Layout {
  readonly isLittle: boolean;
  readonly unit: number;
  readonly linkType: number;
}

/** Reassembles the packets of a pcap stream that arrives in chunks of any size. */
export class PcapReader {
  #rest: Buffer = Buffer.alloc(0);
  #layout: Layout | undefined;

  /**
   * The packets that this chunk completes.
   *
   * @throws Fault `data-loss` when the stream is not a capture
   */
  *push(chunk: Uint8Array): Generator<PcapPacket> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (this.#layout === undefined) {
      if (this.#rest.length < headerBytes) return;
      this.#layout = layoutFrom(this.#rest);
      this.#rest = this.#rest.subarray(headerBytes);
    }
    for (;;) {
      const packet = this.#take(this.#layout);
      if (packet === undefined) return;
      yield packet;
    }
  }

  #take({ isLittle, unit, linkType }: Layout): PcapPacket | undefined {
    if (this.#rest.length < recordHeaderBytes) return undefined;
    const word = (at: number) => (isLittle ? this.#rest.readUInt32LE(at) : this.#rest.readUInt32BE(at));
    const stored = word(8);
    if (stored > maxPacketBytes) throw new Fault('data-loss', `a packet of ${stored} bytes in the capture`);
    const end = recordHeaderBytes + stored;
    if (this.#rest.length < end) return undefined;
    const packet = {
      linkType,
      seconds: word(0),
      nanoseconds: word(4) * unit,
      lengthBytes: word(12),
      data: this.#rest.subarray(recordHeaderBytes, end),
    };
    this.#rest = this.#rest.subarray(end);
    return packet;
  }
}

function layoutFrom(header: Buffer): Layout {
  for (const isLittle of [true, false]) {
    const unit = units.get(isLittle ? header.readUInt32LE() : header.readUInt32BE());
    if (unit === undefined) continue;
    return { isLittle, unit, linkType: isLittle ? header.readUInt32LE(20) : header.readUInt32BE(20) };
  }
  throw new Fault('data-loss', `the node sent no capture: it begins with ${header.toString('hex', 0, 4)}`);
}
