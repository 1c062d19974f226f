import { addressBlock, type Handshake } from '@nodewright/h2';

/** Who is at the other end of a connection. */
export class Peer {
  readonly remoteAddress: string;
  /** `address:port`, for the log. */
  readonly name: string;
  /** Who shares limits with it. */
  readonly group: string;
  /** One of its calls has shown the token. */
  isTrusted = false;
  /** When it made its last call, in monotonic milliseconds. */
  lastCallMs: number;

  constructor({ remoteAddress, remotePort }: Handshake, nowMs: number) {
    this.remoteAddress = remoteAddress;
    this.name = `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
    this.group = addressBlock(remoteAddress);
    this.lastCallMs = nowMs;
  }
}
