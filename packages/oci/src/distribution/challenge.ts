/**
 * The authentication challenge of a registry. Source: RFC 9110, WWW-Authenticate; Docker registry, token
 * authentication.
 */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

/** The supported challenge; `undefined` when there is none. */
export function parseChallenge(header: string): Challenge | undefined {
  const bearer = /\bbearer\s+(.*)/is.exec(header)?.[1];
  if (bearer === undefined) return /\bbasic\b/i.test(header) ? { scheme: 'basic' } : undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare] of bearer.matchAll(
    /(?<!\w)(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g,
  ))
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '');
  const [realm, service, scope] = ['realm', 'service', 'scope'].map((name) => parameters.get(name));
  if (realm === undefined || !URL.canParse(realm)) return undefined;
  return {
    scheme: 'bearer',
    realm,
    ...(service === undefined ? {} : { service }),
    ...(scope === undefined ? {} : { scope }),
  };
}
