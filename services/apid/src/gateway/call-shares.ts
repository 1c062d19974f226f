import { ByteBudget } from '@nodewright/h2';
import { rolesKey } from '../domain/may-call.ts';
import type { CallerConduct } from './caller-conduct.ts';

/** The limits on open calls; `limits.ts` describes each. */
export interface CallLimits {
  readonly callsPerIdentity: number;
  readonly callsPerRoles: number;
  readonly callsPerApid: number;
  readonly reservedCallsPerApid: number;
  readonly calls: number;
  readonly reservedCalls: number;
  readonly smallCallerCalls: number;
  readonly bytesPerIdentity: number;
  readonly bytes: number;
  readonly rememberedIdentities: number;
}

export interface Caller {
  /** The caller's identity; `undefined` when the apid that forwarded the call does not name it. */
  readonly identity: string | undefined;
  /** Identity of the apid that forwarded the call; `undefined` when the client called this apid directly. */
  readonly apid: string | undefined;
  readonly roles: readonly string[];
}

/** The share of the limits that one open call uses. */
export interface CallShare {
  /** The budget for bytes of all calls of this caller. */
  readonly bytes: ByteBudget;
  /** Frees the share when the call is over. Does nothing when repeated. */
  release(): void;
  /** The caller cancelled the call. Returns `false` when it cancels too often. */
  cancelled(nowMs: number): boolean;
}

export type Granted = { readonly share: CallShare } | { readonly refusal: string };

interface Account {
  open: number;
  readonly bytes: ByteBudget;
}

/** Counts open calls per identity, per set of roles, per forwarding apid and in total. */
export class CallShares {
  readonly #limits: CallLimits;
  readonly #conduct: CallerConduct;
  readonly #accounts = new Map<string, Account>();
  readonly #perRoles = new Map<string, number>();
  readonly #perApid = new Map<string, number>();
  readonly #bytes: ByteBudget;
  #open = 0;

  constructor(limits: CallLimits, conduct: CallerConduct) {
    this.#limits = limits;
    this.#conduct = conduct;
    this.#bytes = new ByteBudget(limits.bytes);
  }

  /** Number of open calls. A call to several nodes counts once per node. */
  get open(): number {
    return this.#open;
  }

  /** Grants a call that needs `weight` hops, or returns a text that names the exceeded limit. */
  take(caller: Caller, weight: number, nowMs: number): Granted {
    const name = caller.identity ?? `apid ${caller.apid}`;
    const account = this.#account(name);
    const refusal = this.#refusal(caller, account, weight, nowMs);
    if (refusal !== undefined) return { refusal };
    const key = rolesKey(caller.roles);
    const count = (change: number) => {
      account.open += change;
      this.#open += change;
      add(this.#perRoles, key, change);
      if (caller.apid !== undefined) add(this.#perApid, caller.apid, change);
    };
    count(weight);
    let isOpen = true;
    return {
      share: {
        bytes: account.bytes,
        release() {
          if (isOpen) count(-weight);
          isOpen = false;
        },
        // Several callers may share this account, so the cancels of one must not count against the others.
        cancelled: (now) => caller.identity === undefined || this.#conduct.cancelled(caller.identity, now),
      },
    };
  }

  #refusal(caller: Caller, account: Account, weight: number, nowMs: number): string | undefined {
    const limits = this.#limits;
    const { apid } = caller;
    const paused =
      caller.identity === undefined ? undefined : this.#conduct.callRefusal(caller.identity, nowMs);
    if (paused !== undefined) return paused;
    const isSmall = account.open + weight <= limits.smallCallerCalls;
    // Callers without a name together get the share of their apid without its reserve.
    const own =
      caller.identity === undefined
        ? limits.callsPerApid - limits.reservedCallsPerApid
        : limits.callsPerIdentity;
    if (account.open + weight > own) return tooMany('of this caller', own);
    const rows: [string, number, number, number][] = [
      ['with these roles', this.#perRoles.get(rolesKey(caller.roles)) ?? 0, limits.callsPerRoles, 0],
      ['on this node', this.#open, limits.calls, limits.reservedCalls],
    ];
    if (apid !== undefined) {
      const reserve = caller.identity === undefined ? 0 : limits.reservedCallsPerApid;
      rows.push(['forwarded by one node', this.#perApid.get(apid) ?? 0, limits.callsPerApid, reserve]);
    }
    for (const [what, open, limit, reserve] of rows) {
      const granted = isSmall ? limit : limit - reserve;
      if (open + weight > granted) return tooMany(what, granted);
    }
    return undefined;
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    if (this.#accounts.size >= this.#limits.rememberedIdentities) this.#forget();
    const account: Account = {
      open: 0,
      bytes: new ByteBudget(this.#limits.bytesPerIdentity, this.#bytes),
    };
    this.#accounts.set(name, account);
    return account;
  }

  /** Forgets callers without open calls and bytes. */
  #forget(): void {
    for (const [name, { open, bytes }] of this.#accounts) {
      if (open === 0 && bytes.heldBytes === 0) this.#accounts.delete(name);
    }
  }
}

function tooMany(what: string, limit: number): string {
  return `too many open calls ${what}: the limit is ${limit}`;
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
