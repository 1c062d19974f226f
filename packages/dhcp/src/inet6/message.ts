// The messages of DHCP for IPv6, as bytes and as values. Source: RFC 8415, sections 8 and 21.
import { Fault } from '@nodewright/fault';

/** Source: RFC 8415, section 7.3. */
export const inet6MessageTypes = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  decline: 9,
} as const;
export type Inet6MessageType = keyof typeof inet6MessageTypes;

/** The options that the client knows. */
export const inet6OptionCodes = {
  ...{ clientId: 1, serverId: 2, addresses: 3, address: 5, requestedOptions: 6, preference: 7 },
  ...{ elapsedTime: 8, statusCode: 13, rapidCommit: 14, nameServers: 23, searchDomains: 24 },
  ...{ clientName: 39, timeServers: 56 },
} as const;

export interface Inet6Option {
  readonly code: number;
  readonly value: Uint8Array;
}

export interface Inet6Message {
  readonly type: number;
  /** 24 bits. */
  readonly transactionId: number;
  readonly options: readonly Inet6Option[];
}

/** A link carries no longer ones in one packet. */
export const longestInet6MessageBytes = 1500;
/** Options of a message, or inside another option. Servers send about ten. */
const mostOptions = 64;
const headerBytes = 4;

/** The bytes of options. */
export function encodeInet6Options(options: readonly Inet6Option[]): Buffer {
  return Buffer.concat(
    options.map(({ code, value }) => {
      const header = Buffer.alloc(headerBytes);
      header.writeUInt16BE(code, 0);
      header.writeUInt16BE(value.length, 2);
      return Buffer.concat([header, value]);
    }),
  );
}

export function encodeInet6Message({ type, transactionId, options }: Inet6Message): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(((type << 24) | transactionId) >>> 0);
  return Buffer.concat([header, encodeInet6Options(options)]);
}

/**
 * Reads options.
 *
 * @throws Fault `data-loss` when one is truncated, or there are too many
 */
export function decodeInet6Options(bytes: Uint8Array): Inet6Option[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const options: Inet6Option[] = [];
  for (let at = 0; at < view.length; ) {
    if (options.length >= mostOptions) throw new Fault('data-loss', `more than ${mostOptions} options`);
    if (at + headerBytes > view.length) throw new Fault('data-loss', 'a truncated option');
    const [code, length] = [view.readUInt16BE(at), view.readUInt16BE(at + 2)];
    const start = at + headerBytes;
    if (start + length > view.length) throw new Fault('data-loss', `option ${code} is truncated`);
    options.push({ code, value: Uint8Array.from(view.subarray(start, start + length)) });
    at = start + length;
  }
  return options;
}

/** @throws Fault `data-loss` for bytes that are not a message */
export function decodeInet6Message(bytes: Uint8Array): Inet6Message {
  if (bytes.length < headerBytes || bytes.length > longestInet6MessageBytes)
    throw new Fault('data-loss', `a message of ${bytes.length} bytes`);
  const header = Buffer.from(bytes.subarray(0, headerBytes)).readUInt32BE();
  return {
    ...{ type: header >>> 24, transactionId: header & 0xff_ffff },
    options: decodeInet6Options(bytes.subarray(headerBytes)),
  };
}

/** The value of an option; undefined when it is missing, or there twice. */
export function inet6Option(options: readonly Inet6Option[], code: number): Uint8Array | undefined {
  const found = options.filter((option) => option.code === code);
  return found.length === 1 ? found[0]?.value : undefined;
}
