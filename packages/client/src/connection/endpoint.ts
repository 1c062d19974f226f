import { isIP } from 'node:net';
import { ports } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

/** The address of an apid. */
export interface Endpoint {
  /** Host name or IP address, without brackets. The server's certificate must be valid for it. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, with an IPv6 address in brackets. Used for dialling and in error messages. */
  readonly address: string;
}

const urlPattern = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i;

function endpointOf(host: string, port: number): Endpoint {
  return { host, port, address: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}` };
}

/** Host and port as written; the port is `undefined` when it is missing. */
function splitHostPort(text: string): { host: string; port: string | undefined } {
  if (isIP(text) === 6) return { host: text, port: undefined };
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  // Only IPv6 addresses may be in brackets.
  if (bracketed)
    return { host: isIP(bracketed[1] as string) === 6 ? (bracketed[1] as string) : '', port: bracketed[2] };
  const colon = text.lastIndexOf(':');
  return colon < 0
    ? { host: text, port: undefined }
    : { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

/**
 * Parses an endpoint as a user writes it: a host, `host:port`, an IPv6 address with or without brackets, or a
 * URL. The default port is 50000, or 443 for an `https` URL. Source: Talos v1.14: endpoint normalisation.
 *
 * @throws Fault `invalid-argument` that quotes the text
 */
export function parseEndpoint(text: string): Endpoint {
  const trimmed = text.trim();
  const url = urlPattern.exec(trimmed);
  const scheme = url?.[1]?.toLowerCase();
  const authority = url === null ? trimmed : ((url[2] as string).split(/[/?#]/, 1)[0] as string);
  const { host, port } = splitHostPort(authority.slice(authority.lastIndexOf('@') + 1));

  const looksLikeAddress = host.includes(':');
  if (host === '' || /[\s/[\]]/.test(host) || (looksLikeAddress && isIP(host) !== 6)) {
    throw new Fault('invalid-argument', `endpoint "${text}" has no valid host`);
  }
  if (port === undefined) return endpointOf(host, scheme === 'https' ? 443 : ports.apid);
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65535) {
    throw new Fault('invalid-argument', `endpoint "${text}": "${port}" is not a port (1 to 65535)`);
  }
  return endpointOf(host, number);
}
