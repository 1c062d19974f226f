import { ByteBudget } from '@nodewright/h2';
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
  /** The roles that count for the limits; see `rolesKey`. */
  readonly rolesKey: string;
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

interface Account {
  open: number;
  readonly bytes: ByteBudget;
}

/** The open calls of all callers with the same roles. */
interface RolesAccount {
  open: number;
}

/** Counts open calls per identity, per set of roles, per forwarding apid and in total. */
export class CallShares {
  readonly #limits: CallLimits;
  readonly #conduct: CallerConduct;
  readonly #accounts = new Map<string, Account>();
  readonly #perRoles = new Map<string, RolesAccount>();
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
  take(caller: Caller, weight: number, nowMs: number): CallShare | string {
    const account = this.#account(caller.identity ?? `apid ${caller.apid}`);
    const roles = this.#rolesAccount(caller.rolesKey);
    const refusal = this.#refusal(caller, account, roles, weight, nowMs);
    if (refusal !== undefined) return refusal;
    this.count(account, roles, caller.apid, weight);
    return new Share(this, account, roles, caller, weight);
  }

  /** Changes the numbers of open calls. */
  count(account: Account, roles: RolesAccount, apid: string | undefined, change: number): void {
    account.open += change;
    roles.open += change;
    this.#open += change;
    if (apid === undefined) return;
    const next = (this.#perApid.get(apid) ?? 0) + change;
    if (next === 0) this.#perApid.delete(apid);
    else this.#perApid.set(apid, next);
  }

  /** A caller cancelled a call. Returns `false` when it cancels too often. */
  cancelled({ identity }: Caller, nowMs: number): boolean {
    // Several callers may share an account, so the cancels of one must not count against the others.
    return identity === undefined || this.#conduct.cancelled(identity, nowMs);
  }

  #refusal(
    caller: Caller,
    account: Account,
    roles: RolesAccount,
    weight: number,
    nowMs: number,
  ): string | undefined {
    const limits = this.#limits;
    const { apid, identity } = caller;
    const paused = identity === undefined ? undefined : this.#conduct.callRefusal(identity, nowMs);
    if (paused !== undefined) return paused;
    const isSmall = account.open + weight <= limits.smallCallerCalls;
    // Callers without a name together get the share of their apid without its reserve.
    const own =
      identity === undefined ? limits.callsPerApid - limits.reservedCallsPerApid : limits.callsPerIdentity;
    if (account.open + weight > own) return tooMany('of this caller', own);
    if (roles.open + weight > limits.callsPerRoles) return tooMany('with these roles', limits.callsPerRoles);
    const granted = isSmall ? limits.calls : limits.calls - limits.reservedCalls;
    if (this.#open + weight > granted) return tooMany('on this node', granted);
    if (apid === undefined) return undefined;
    const isReserved = !isSmall && identity !== undefined;
    const forwarded = isReserved ? limits.callsPerApid - limits.reservedCallsPerApid : limits.callsPerApid;
    const openOfApid = this.#perApid.get(apid) ?? 0;
    return openOfApid + weight > forwarded ? tooMany('forwarded by one node', forwarded) : undefined;
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

  #rolesAccount(rolesKey: string): RolesAccount {
    const known = this.#perRoles.get(rolesKey);
    if (known !== undefined) return known;
    if (this.#perRoles.size >= this.#limits.rememberedIdentities) {
      for (const [key, { open }] of this.#perRoles) if (open === 0) this.#perRoles.delete(key);
    }
    const account: RolesAccount = { open: 0 };
    this.#perRoles.set(rolesKey, account);
    return account;
  }

  /** Forgets callers without open calls and bytes. */
  #forget(): void {
    for (const [name, { open, bytes }] of this.#accounts) {
      if (open === 0 && bytes.heldBytes === 0) this.#accounts.delete(name);
    }
  }
}

class Share implements CallShare {
  readonly bytes: ByteBudget;
  readonly #shares: CallShares;
  readonly #account: Account;
  readonly #roles: RolesAccount;
  readonly #caller: Caller;
  readonly #weight: number;
  #isOpen = true;

  constructor(shares: CallShares, account: Account, roles: RolesAccount, caller: Caller, weight: number) {
    this.bytes = account.bytes;
    this.#shares = shares;
    this.#account = account;
    this.#roles = roles;
    this.#caller = caller;
    this.#weight = weight;
  }

  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#shares.count(this.#account, this.#roles, this.#caller.apid, -this.#weight);
  }

  cancelled(nowMs: number): boolean {
    return this.#shares.cancelled(this.#caller, nowMs);
  }
}

function tooMany(what: string, limit: number): string {
  return `too many open calls ${what}: the limit is ${limit}`;
}
