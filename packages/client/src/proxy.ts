import { Fault, Secret } from '@nodewright/fault';

/** An HTTP proxy that forwards connections with the method CONNECT. */
export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  /** `user:password`. */
  readonly credentials?: Secret;
}

const forms = 'use "direct" or the URL of an HTTP proxy, such as http://proxy.example:3128';

/** The URL for an error message, with everything that may contain a password removed. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1******@'));
}

/**
 * Parses the `proxy-url` of a context. `direct` means no proxy, even if the environment names one. Source:
 * Talos v1.14: client configuration, which also accepts `https` and `socks5`; this client does not support
 * these.
 *
 * @throws Fault `unimplemented` for an unsupported kind of proxy, `invalid-argument` for any other invalid
 * text. The message lists the valid forms and shows no password.
 */
export function parseProxyUrl(text: string): 'direct' | HttpProxy {
  if (text === 'direct') return 'direct';
  const url = URL.parse(text);
  if (url !== null && ['https:', 'socks5:', 'socks5h:'].includes(url.protocol)) {
    throw new Fault('unimplemented', `proxy-url ${shown(text)} is not supported: ${forms}`);
  }
  if (url === null || url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '') {
    throw new Fault('invalid-argument', `proxy-url ${shown(text)} is not valid: ${forms}`);
  }
  const { hostname, port, username, password } = url;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const address = { host, port: port === '' ? 80 : Number(port) };
  if (username === '') return address;
  const credentials = [username, password].map(decoded);
  if (credentials.includes(undefined)) {
    throw new Fault(
      'invalid-argument',
      `proxy-url ${shown(text)} is not valid: a % in its user or password must be written as %25`,
    );
  }
  return { ...address, credentials: new Secret(credentials.join(':')) };
}

/** Decodes a part of a URL; returns `undefined` for an invalid escape sequence. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
