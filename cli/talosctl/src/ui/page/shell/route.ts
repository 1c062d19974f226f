import { useEffect, useState } from 'preact/hooks';

/** A place in the page, from the part of the address behind `#/`. */
export interface Route {
  readonly view: string;
  /** The further parts of the path. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', ...parts] = path.split('/').map(decoded);
  return { view: view === '' ? 'cluster' : view, parts, query: queryOf(query) };
}

function queryOf(text: string): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(text)].map(([name, value]) => [name, plain(value)]));
}

/** Somebody else may have made the address: no character of it hides or reverses text. Names of nodes have none either. */
function decoded(part: string): string {
  try {
    return plain(decodeURIComponent(part));
  } catch {
    return plain(part);
  }
}

const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

/** The address of a place. */
export function linkTo(
  view: string,
  parts: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const path = [view, ...parts].map(encodeURIComponent).join('/');
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

export function goTo(...place: Parameters<typeof linkTo>): void {
  location.hash = linkTo(...place);
}

/** Changes the address without an entry in the history of the browser. */
export function replaceWith(...place: Parameters<typeof linkTo>): void {
  history.replaceState(undefined, '', linkTo(...place));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    // The address may have changed since the page was drawn.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return readRoute(hash);
}
