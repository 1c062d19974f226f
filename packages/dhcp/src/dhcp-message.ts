// Messages of DHCP for IPv4, as they are in UDP datagrams. Source: RFC 2131, section 2; RFC 2132; RFC 3396.
import { Fault } from '@nodewright/fault';
import { bytesOfAddress, textOfAddress } from './inet4-address.ts';
import { optionCodes } from './option-codes.ts';

/** A message of a client to servers, or of a server to a client. Addresses are texts, `0.0.0.0` when they are not set. */
export interface DhcpMessage {
  readonly isReply: boolean;
  /** 32 bits, chosen by the client for each exchange. */
  readonly transactionId: number;
  /** Since the client began the exchange, 16 bits. */
  readonly seconds: number;
  /** The client cannot receive datagrams to an address that it does not have yet. */
  readonly wantsBroadcast: boolean;
  /** `ciaddr`: the address that the client has and uses. */
  readonly clientAddress: string;
  /** `yiaddr`: the address that the server gives. */
  readonly yourAddress: string;
  /** `siaddr`: of a boot server. */
  readonly nextServer: string;
  /** `giaddr`: of the relay between client and server. */
  readonly relayAddress: string;
  /** The Ethernet address of the client, such as `02:00:00:00:00:01`. */
  readonly hardware: string;
  /** The values of the options by their codes. Those of several parts are one value. */
  readonly options: ReadonlyMap<number, Uint8Array>;
}

const fixedBytes = 236;
const nameOffset = 44;
const fileOffset = 108;
const cookie = Buffer.from([99, 130, 83, 99]);
const optionsOffset = fixedBytes + cookie.length;
/** Longer messages are refused. A message that is not split has at most the MTU of its link. */
export const longestMessageBytes = 9216;
/** Relays of BOOTP may drop shorter messages. Source: RFC 1542, section 2.1. */
const shortestMessageBytes = 300;
const ethernet = 1;
const ethernetBytes = 6;
const broadcastFlag = 0x8000;
const padding = 0;
const end = 255;
const longestPartBytes = 255;
const operations = { request: 1, reply: 2 } as const;

/** The bits of option 52: which other fields have options. */
const overloads = { file: 1, name: 2 } as const;

/** Encodes a message. A value of more than 255 bytes becomes several parts, all of them in the field for options. */
export function encodeMessage(message: DhcpMessage): Uint8Array {
  const fixed = Buffer.alloc(optionsOffset);
  fixed[0] = message.isReply ? operations.reply : operations.request;
  fixed[1] = ethernet;
  fixed[2] = ethernetBytes;
  fixed.writeUInt32BE(message.transactionId, 4);
  fixed.writeUInt16BE(message.seconds, 8);
  fixed.writeUInt16BE(message.wantsBroadcast ? broadcastFlag : 0, 10);
  const { clientAddress, yourAddress, nextServer, relayAddress } = message;
  for (const [index, address] of [clientAddress, yourAddress, nextServer, relayAddress].entries())
    fixed.set(bytesOfAddress(address), 12 + index * 4);
  fixed.write(message.hardware.replaceAll(':', ''), 28, ethernetBytes, 'hex');
  fixed.set(cookie, fixedBytes);
  const options = [...message.options].flatMap(([code, value]) => partsOf(code, value));
  const length = optionsOffset + options.reduce((sum, part) => sum + part.length, 0) + 1;
  const fill = Buffer.alloc(Math.max(0, shortestMessageBytes - length));
  return Buffer.concat([fixed, ...options, Buffer.from([end]), fill]);
}

function partsOf(code: number, value: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = 0;
  do {
    const part = value.subarray(at, at + longestPartBytes);
    parts.push(Buffer.concat([Buffer.from([code, part.length]), part]));
    at += longestPartBytes;
  } while (at < value.length);
  return parts;
}

/**
 * Decodes a message of at most 9216 bytes.
 *
 * @throws Fault `invalid-argument` for everything that is not a message of an Ethernet client
 */
export function decodeMessage(datagram: Uint8Array): DhcpMessage {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  if (bytes.length < optionsOffset || bytes.length > longestMessageBytes)
    throw malformed(`it has ${bytes.length} bytes`);
  const operation = bytes.readUInt8(0);
  if (operation !== operations.request && operation !== operations.reply)
    throw malformed(`its operation is ${operation}`);
  if (bytes.readUInt8(1) !== ethernet || bytes.readUInt8(2) !== ethernetBytes)
    throw malformed('its client is not on Ethernet');
  if (!bytes.subarray(fixedBytes, optionsOffset).equals(cookie)) throw malformed('it has no options');
  const addressAt = (offset: number) => textOfAddress(bytes.subarray(offset, offset + 4));
  return {
    isReply: operation === operations.reply,
    transactionId: bytes.readUInt32BE(4),
    seconds: bytes.readUInt16BE(8),
    wantsBroadcast: (bytes.readUInt16BE(10) & broadcastFlag) !== 0,
    clientAddress: addressAt(12),
    yourAddress: addressAt(16),
    nextServer: addressAt(20),
    relayAddress: addressAt(24),
    hardware: hardwareText(bytes.subarray(28, 28 + ethernetBytes)),
    options: optionsOf(bytes),
  };
}

/** `02:00:00:00:00:01` */
export const hardwareText = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('hex').match(/../g)?.join(':') ?? '';

const malformed = (reason: string) => new Fault('invalid-argument', `not a DHCP message: ${reason}`);

/**
 * The options of the three fields that may have some, in the order in which parts of one value are joined. Source: RFC 3396,
 * section 5.
 */
function optionsOf(bytes: Buffer): Map<number, Uint8Array> {
  const parts = new Map<number, Uint8Array[]>();
  readParts(bytes.subarray(optionsOffset), parts);
  const overload = parts.get(optionCodes.overload)?.[0]?.[0] ?? 0;
  if ((overload & overloads.file) !== 0) readParts(bytes.subarray(fileOffset, fixedBytes), parts);
  if ((overload & overloads.name) !== 0) readParts(bytes.subarray(nameOffset, fileOffset), parts);
  // It is about this encoding alone, and not about the client.
  parts.delete(optionCodes.overload);
  return new Map([...parts].map(([code, values]) => [code, Uint8Array.from(Buffer.concat(values))]));
}

function readParts(field: Uint8Array, parts: Map<number, Uint8Array[]>): void {
  for (let at = 0; at < field.length; ) {
    const code = field[at] ?? end;
    at += 1;
    if (code === end) return;
    if (code === padding) continue;
    const length = field[at];
    if (length === undefined || at + 1 + length > field.length)
      throw malformed(`option ${code} is longer than its field`);
    const value = field.subarray(at + 1, at + 1 + length);
    const others = parts.get(code);
    if (others === undefined) parts.set(code, [value]);
    else others.push(value);
    at += 1 + length;
  }
}
