import { isIPv6 } from 'node:net';
import { Fault } from '@nodewright/fault';

/** The default port of the Kubernetes API server. */
const usualPort = '6443';

/**
 * Checks that the endpoint of a cluster is a URL with the scheme https and a host.
 *
 * @throws Fault `invalid-argument` that says what is missing and, if the text contains a host, suggests a URL
 *
 * Source: Talos v1.14: gen config, endpoint.
 */
export function checkEndpoint(text: string): void {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  const rest = scheme === undefined ? text : text.slice(scheme.length + '://'.length);
  const place = readPlace(rest);
  if (place === undefined) throw refusal(text, 'it has no valid host');
  const suggestion = `https://${place.host}:${place.port ?? usualPort}`;
  if (scheme === undefined) {
    throw refusal(
      text,
      place.port === undefined ? 'it has no scheme and no port' : 'it has no scheme',
      suggestion,
    );
  }
  if (scheme !== 'https') throw refusal(text, 'the scheme must be https', suggestion);
}

interface Place {
  /** A host name or address as in a URL: an IPv6 address is in brackets. */
  readonly host: string;
  readonly port: string | undefined;
}

/** The host and port of a URL without its scheme; `undefined` when the host is invalid. */
function readPlace(text: string): Place | undefined {
  const authority = /^[^/?#]*/.exec(text)?.[0] ?? '';
  if (isIPv6(authority)) return { host: `[${authority}]`, port: undefined };
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:@[\]]+)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  if (host === undefined || !URL.canParse(`https://${authority}/`)) return undefined;
  return { host, port };
}

function refusal(text: string, what: string, suggestion?: string): Fault {
  const hint =
    suggestion === undefined
      ? 'use a URL such as "https://10.0.0.1:6443"'
      : `try ${JSON.stringify(suggestion)}`;
  return new Fault('invalid-argument', `invalid cluster endpoint ${JSON.stringify(text)}: ${what}; ${hint}`);
}
