import { ipAddressBytes } from '@nodewright/linux/network';
import {
  inet6OptionCodes as codes,
  encodeInet6Options,
  type Inet6Message,
  type Inet6MessageType,
  type Inet6Option,
  inet6MessageTypes,
} from './message.ts';

/** How the client of a link presents itself. */
export interface Inet6ClientSettings {
  /** The DUID. Source: RFC 8415, section 11. */
  readonly clientId: Uint8Array;
  /** Of the addresses of the link, 32 bits. */
  readonly associationId: number;
}

/** The last four bytes of a hardware address. */
export const associationIdOf = (hardware: string): number =>
  Buffer.from(hardware.replaceAll(':', ''), 'hex').readUInt32BE(2);

const ethernet = [0, 1];

/** A DUID of the hardware address alone, DUID-LL. */
export const duidOfHardware = (hardware: string): Uint8Array =>
  Uint8Array.from([0, 3, ...ethernet, ...Buffer.from(hardware.replaceAll(':', ''), 'hex')]);

/** The beginning of 2000 in Unix time. */
const epochSeconds = 946_684_800;

/** A DUID of the hardware address and the time, DUID-LLT. */
export function duidOfTime(hardware: string, unixMs: number): Uint8Array {
  const time = Buffer.alloc(4);
  time.writeUInt32BE(Math.max(0, Math.floor(unixMs / 1000) - epochSeconds) % 2 ** 32);
  return Uint8Array.from([0, 1, ...ethernet, ...time, ...Buffer.from(hardware.replaceAll(':', ''), 'hex')]);
}

export interface Inet6MessageInit {
  readonly type: Inet6MessageType;
  readonly transactionId: number;
  /** Since the first message of the exchange. */
  readonly elapsedMs: number;
  readonly serverId?: Uint8Array | undefined;
  /** The address that the message is about. */
  readonly address?: string | undefined;
}

const requested = Uint8Array.of(0, codes.nameServers, 0, codes.searchDomains);
const mostHundredths = 0xffff;

/** A message of the client. It asks for name servers and search domains, and for nothing else. */
export function inet6ClientMessage(settings: Inet6ClientSettings, init: Inet6MessageInit): Inet6Message {
  const { type, transactionId, elapsedMs, serverId, address } = init;
  const elapsed = Buffer.alloc(2);
  elapsed.writeUInt16BE(Math.min(mostHundredths, Math.max(0, Math.floor(elapsedMs / 10))));
  const head = Buffer.alloc(12);
  head.writeUInt32BE(settings.associationId);
  // Without wishes for the lifetimes.
  const addresses: Inet6Option[] =
    address === undefined
      ? []
      : [{ code: codes.address, value: Buffer.concat([ipAddressBytes(address), Buffer.alloc(8)]) }];
  const asksForSettings = type !== 'confirm' && type !== 'decline';
  return {
    type: inet6MessageTypes[type],
    transactionId,
    options: [
      { code: codes.clientId, value: settings.clientId },
      ...(serverId === undefined ? [] : [{ code: codes.serverId, value: serverId }]),
      { code: codes.elapsedTime, value: elapsed },
      { code: codes.addresses, value: Buffer.concat([head, encodeInet6Options(addresses)]) },
      ...(asksForSettings ? [{ code: codes.requestedOptions, value: requested }] : []),
      ...(type === 'solicit' ? [{ code: codes.rapidCommit, value: new Uint8Array() }] : []),
    ],
  };
}
