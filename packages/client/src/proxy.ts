import { Fault, Secret } from '@nodewright/fault';

/** A server that passes connections on when it is asked to with HTTP's CONNECT. */
export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  /** `user:password`. */
  readonly credentials?: Secret;
}

const forms = 'use "direct" or the URL of an HTTP proxy, such as http://proxy.example:3128';

/** The URL without what may be a password in it, for errors. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1******@'));
}

/**
 * Reads the `proxy-url` of a context: `direct` stands for no proxy, whatever the environment says. Source: Talos v1.14:
 * client configuration, which takes `https` and `socks5` as well; these are refused here.
 *
 * @throws Fault `invalid-argument` for what is none of these, `unimplemented` for the other kinds of proxies; both say
 * what to use, and neither shows a password
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

/** Undefined for what is not encoded as a part of a URL is. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
