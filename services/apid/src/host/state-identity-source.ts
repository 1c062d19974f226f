import { faultFrom } from '@nodewright/fault';
import { all, dialState, type FollowStateInit, followState, one } from '@nodewright/state/follow';
import {
  apiCertificates,
  apiServiceConfigs,
  apiWaits,
  hostnameStatuses,
  members,
  nodeAddresses,
} from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type GatewayIdentity, identityFromFacts } from '../domain/gateway-identity.ts';
import type { IdentitySource } from '../domain/identity-source.ts';
import {
  certificatesAfter,
  endOfKept,
  factsAfter,
  type ServiceFacts,
  usableFacts,
} from '../domain/service-facts.ts';

/** The resources that apid watches. */
const followed = {
  config: one(apiServiceConfigs, 'apid'),
  certificates: one(apiCertificates, 'api'),
  wait: one(apiWaits, 'apid'),
  hostname: one(hostnameStatuses, 'hostname'),
  addresses: one(nodeAddresses, 'current'),
  members: all(members),
};

/**
 * How long a restarted machined may take to publish the API configuration again, in milliseconds. On a
 * worker, the request for its certificate takes up to a minute.
 */
const restartGraceMs = 90_000;

/** A certificate that is kept is compared with the clock at least this often, in milliseconds, because the system clock may be set. */
const longestLookMs = 60_000;

/**
 * Reads the identity from the node's state, which machined serves on a socket for apid alone. While machined
 * is away, apid keeps the last identity. An unusable identity is logged and changes nothing.
 */
export class StateIdentitySource implements IdentitySource {
  readonly #socket: string;
  readonly #log: Logger;

  constructor(socket: string, log: Logger) {
    this.#socket = socket;
    this.#log = log;
  }

  async *changes(signal: AbortSignal): AsyncIterable<GatewayIdentity | undefined> {
    let facts: ServiceFacts | undefined;
    let isFirst = true;
    let knownConnection = 0;
    let deadline: Promise<'late'> | undefined;
    let published: ServiceFacts['certificates'];
    let look: Promise<'look'> | undefined;
    const views = followState(this.#following(signal));
    let pending = views.next();
    for (;;) {
      const result = await Promise.race([
        pending,
        ...(deadline === undefined ? [] : [deadline]),
        ...(look === undefined ? [] : [look]),
      ]);
      if (result === 'look') {
        look = undefined;
        if (facts === undefined) continue;
        facts = { ...facts, certificates: certificatesAfter(facts, published, Date.now()) };
        const endMs = endOfKept(facts, published);
        if (endMs !== undefined) {
          look = beforeLook(endMs);
          continue;
        }
        const identity = this.#identityOf(facts);
        if (identity !== 'unusable') yield identity;
        continue;
      }
      if (result === 'late') {
        deadline = undefined;
        if (facts !== undefined) facts = { ...facts, config: undefined };
        yield undefined;
        continue;
      }
      if (result.done === true) return;
      pending = views.next();
      if (result.value === undefined) {
        isFirst = false;
        yield undefined;
        continue;
      }
      const { view, connection } = result.value;
      const isSameState = knownConnection === 0 || connection === knownConnection;
      facts = factsAfter(facts, view, isSameState, Date.now());
      published = view.certificates;
      const endMs = endOfKept(facts, published);
      look = endMs === undefined ? undefined : (look ?? beforeLook(endMs));
      if (view.config !== undefined) {
        knownConnection = connection;
        deadline = undefined;
      } else if (facts.config !== undefined) {
        deadline ??= afterGrace();
      }
      const identity = this.#identityOf(facts);
      // The first value must come at once, even without a usable identity.
      if (identity !== 'unusable') yield identity;
      else if (isFirst) yield undefined;
      isFirst = false;
    }
  }

  #following(signal: AbortSignal): FollowStateInit<typeof followed> {
    return {
      followed,
      signal,
      connect: (dialSignal) => dialState(this.#socket, dialSignal),
      onBroken: ({ message }, retryMs) => {
        this.#log.warn({ socket: this.#socket, error: message, retryMs }, "the node's state cannot be read");
      },
    };
  }

  #identityOf(facts: ServiceFacts): GatewayIdentity | 'unusable' | undefined {
    const usable = usableFacts(facts);
    if (usable === undefined) return undefined;
    try {
      return identityFromFacts(usable);
    } catch (error) {
      const { message } = faultFrom(error);
      this.#log.error({ error: message }, 'identity is not usable, keeping the last good one');
      return 'unusable';
    }
  }
}

/** Ends when a certificate is to be compared with the clock. */
function beforeLook(endMs: number): Promise<'look'> {
  const leftMs = Math.min(longestLookMs, Math.max(0, endMs - Date.now()) + 1);
  return new Promise((resolve) => setTimeout(resolve, leftMs, 'look').unref());
}

/** The timer does not keep the process running. */
function afterGrace(): Promise<'late'> {
  return new Promise((resolve) => setTimeout(resolve, restartGraceMs, 'late').unref());
}
