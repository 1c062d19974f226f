import { Deadline } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { manifestLimits } from '../domain/manifests/read-manifest.ts';

/** Limits of the download of one manifest. */
export const fetchLimits = { timeoutMs: 30_000, redirects: 5 } as const;

/**
 * Downloads a manifest. The headers go to the host of the URL only, because they may be secrets.
 *
 * @throws Fault that names the host, never the whole URL, which may hold a password or a token
 */
export type FetchManifest = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<string>;

export const fetchManifest: FetchManifest = async (url, headers, signal) => {
  using deadline = new Deadline(fetchLimits.timeoutMs, signal);
  try {
    return await follow(new URL(url), new Headers(headers), deadline.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    const { host } = new URL(url);
    if (deadline.isOver)
      throw new Fault('unavailable', `${host} did not answer within ${fetchLimits.timeoutMs / 1000} s`);
    throw new Fault('unavailable', `${host} cannot be reached: ${reasonOf(error)}`);
  }
};

async function follow(first: URL, headers: Headers, signal: AbortSignal): Promise<string> {
  let url = first;
  for (let count = 0; count <= fetchLimits.redirects; count += 1) {
    const own = url.origin === first.origin ? headers : new Headers();
    const response = await fetch(url, { headers: own, signal, redirect: 'manual' });
    const target = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && target !== null) {
      await response.body?.cancel();
      url = new URL(target, url);
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new Fault('unavailable', `${first.host} redirects to ${url.protocol}`);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Fault('unavailable', `${url.host} answered with HTTP ${response.status}`);
    }
    return limitedText(response, url.host);
  }
  throw new Fault('unavailable', `${first.host} redirects more than ${fetchLimits.redirects} times`);
}

/** Reads no more than the limit, whatever length the server announces. */
async function limitedText(response: Response, host: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > manifestLimits.textBytes)
      throw new Fault('resource-exhausted', `${host} sends more than ${manifestLimits.textBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The reason that the library for HTTP puts behind "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return faultFrom(cause).message;
}
