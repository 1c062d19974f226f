import type { RegistryEndpoint } from '@nodewright/oci';
import { registrydLimits } from './limits.ts';

/** What happened at one address of a registry since the start. Times are Unix times in ms. */
export interface UpstreamRecord {
  readonly requests: number;
  readonly failures: number;
  /** 0: it has never answered. */
  readonly lastAnswerMs: number;
  /** Empty: no request has failed. */
  readonly lastError: string;
  readonly lastErrorMs: number;
}

export interface UpstreamEndpoint extends UpstreamRecord {
  /** Without user name and password. */
  readonly url: string;
  readonly isMirror: boolean;
  readonly hasCredentials: boolean;
  readonly skipsVerification: boolean;
}

export interface Upstream {
  /** `host:port`; `*` stands for every registry without a mirror of its own. */
  readonly registry: string;
  /** In the order in which they are tried. */
  readonly endpoints: readonly UpstreamEndpoint[];
}

const untried: UpstreamRecord = {
  ...{ requests: 0, failures: 0, lastAnswerMs: 0, lastError: '', lastErrorMs: 0 },
};

/** Clients choose the registries, so the number of those that are remembered has a limit. */
const limit = registrydLimits.upstreamRegistries;

/** Remembers how the registries answered. */
export class UpstreamRecords {
  readonly #byUrl = new Map<string, UpstreamRecord>();
  readonly #registries = new Map<string, true>();

  /** @param error why the request failed; undefined when the registry answered, also that it lacks the content */
  record(registry: string, url: string, error: string | undefined, nowMs: number): void {
    keep(this.#registries, registry, true);
    const before = this.#byUrl.get(url) ?? untried;
    const requests = before.requests + 1;
    keep(
      this.#byUrl,
      url,
      error === undefined
        ? { ...before, requests, lastAnswerMs: nowMs }
        : { ...before, requests, failures: before.failures + 1, lastError: error, lastErrorMs: nowMs },
    );
  }

  /**
   * The registries that are configured or were asked, sorted by name.
   *
   * @param endpointsOf for `*` the mirrors of all registries
   */
  describe(
    configured: readonly string[],
    endpointsOf: (registry: string) => readonly RegistryEndpoint[],
  ): Upstream[] {
    const registries = [...new Set([...configured, ...this.#registries.keys()])].sort();
    return registries.map((registry) => ({
      registry,
      endpoints: endpointsOf(registry).map((endpoint) => ({
        url: withoutUser(endpoint.url),
        isMirror: endpoint.isMirror === true,
        hasCredentials: endpoint.credentials !== undefined,
        skipsVerification: endpoint.tls?.skipsVerification === true,
        ...(this.#byUrl.get(endpoint.url) ?? untried),
      })),
    }));
  }
}

/** Sets the newest entry, and forgets the oldest one above the limit. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > limit) map.delete(oldest);
}

function withoutUser(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === '' && url.password === '')) return text;
  url.username = '';
  url.password = '';
  return url.href;
}
