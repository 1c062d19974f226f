import { addressBlock, type Handshake } from '@nodewright/h2';

/** The client of a connection. */
export class Peer {
  readonly remoteAddress: string;
  /** `address:port`, for the log. */
  readonly name: string;
  /** The client's address block. Clients of one block share limits. */
  readonly group: string;
  /** Whether one of its calls has sent the right token. */
  isTrusted = false;
  /** Time of its last call, in monotonic milliseconds. */
  lastCallMs: number;

  constructor({ remoteAddress, remotePort }: Handshake, nowMs: number) {
    this.remoteAddress = remoteAddress;
    this.name = `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
    this.group = addressBlock(remoteAddress);
    this.lastCallMs = nowMs;
  }
}
