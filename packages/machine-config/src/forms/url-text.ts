/** The parts of a URL that validation rules need; empty when missing. */
export interface UrlParts {
  readonly scheme: string;
  /** Host with the port. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

/**
 * Splits a URL like Go, without normalizing it. Returns `undefined` for an invalid URL or one without a
 * scheme.
 */
export function parseUrl(text: string): UrlParts | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that no URL may hold
  if (/[\u0000-\u0020\u007f]/.test(text)) return undefined;
  const [, scheme, authority = '', path = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const [, hostname = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? [];
  if (host !== '' && hostname === '') return undefined;
  return {
    scheme: scheme.toLowerCase(),
    host,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path,
  };
}
