import { isIPv6 } from 'node:net';
import { Fault } from '@nodewright/fault';

/** The port of NTP servers. */
export const ntpPort = 123;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host`, `host:port`, `[v6]:port` or a bare IPv6 address; without a port it is 123.
 *
 * @throws Fault `invalid-argument` that quotes the text.
 */
export function parseServerAddress(text: string): ServerAddress {
  if (isIPv6(text)) return { host: text, port: ntpPort };
  const match = /^(?:\[([^\]\s]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? ntpPort : Number(match[3]);
  if (host === undefined || (match?.[1] !== undefined && !isIPv6(host)) || port < 1 || port > 65_535) {
    throw new Fault('invalid-argument', `"${text}" is not a time server: write host or host:port`);
  }
  return { host, port };
}
