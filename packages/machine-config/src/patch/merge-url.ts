interface UrlParts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

const shape =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/**
 * Merges two URLs part by part: a part that is missing in the patch (user, path, query, ...) keeps its value.
 *
 * Source: Talos v1.14: machine configuration, strategic merge.
 */
export function mergeUrl(base: string, patch: string): string {
  const left = splitUrl(base);
  const right = splitUrl(patch);
  return joinUrl({
    scheme: right.scheme || left.scheme,
    user: right.user || left.user,
    host: right.host || left.host,
    path: right.path || left.path,
    query: right.query || left.query,
    fragment: right.fragment || left.fragment,
  });
}

function splitUrl(text: string): UrlParts {
  const [, scheme = '', user = '', host = '', path = '', query = '', fragment = ''] = shape.exec(text) ?? [];
  return { scheme, user, host, path, query, fragment };
}

function joinUrl({ scheme, user, host, path, query, fragment }: UrlParts): string {
  const authority = user || host ? `//${user ? `${user}@` : ''}${host}` : '';
  const start = `${scheme ? `${scheme}:` : ''}${authority}`;
  const rooted = authority && path && !path.startsWith('/') ? `/${path}` : path;
  return `${start}${rooted}${query ? `?${query}` : ''}${fragment ? `#${fragment}` : ''}`;
}
