// The token of the link, and the secret that it is exchanged for. The secret is never stored: it ends with the page.

const tokenPattern = /^#token=([\w-]{10,100})$/;

/**
 * Takes the token out of the address, so that it is neither in the history nor on the screen.
 *
 * @param before the address that takes its place, if it has no token
 */
export function takeToken(before = ''): string | undefined {
  const token = tokenPattern.exec(location.hash)?.[1];
  if (token !== undefined) {
    const place = URL.canParse(before) ? new URL(before).hash : '';
    history.replaceState(undefined, '', `/${tokenPattern.test(place) ? '' : place}`);
  }
  return token;
}

/** The token in what a person pasted: a token, or the whole link. */
export function tokenIn(text: string): string {
  return /token=([\w-]+)/.exec(text)?.[1] ?? text.trim();
}

/** @throws Error with what the server says */
export async function exchangeToken(token: string): Promise<string> {
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const answer = (await response.json()) as { secret?: string; error?: string };
  if (answer.secret === undefined) throw new Error(answer.error ?? `status ${response.status}`);
  return answer.secret;
}
