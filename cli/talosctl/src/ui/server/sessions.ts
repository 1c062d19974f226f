import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Limits } from '../domain/limits.ts';

/** One open page. */
export interface Session {
  readonly id: number;
  /** Whether its stream is open. */
  isOpen: boolean;
  /** When its stream was last opened or closed, or the session began. */
  changedMs: number;
  /** The second in which `requests` were counted. */
  second: number;
  requests: number;
  /** Requests that are not answered yet. */
  calls: number;
}

export interface Token {
  readonly text: string;
  readonly expiresMs: number;
}

/**
 * The token that opens the page, and the secrets of the pages that are open. Secrets are kept as hashes, and compared in a time
 * that does not depend on them.
 */
export class Sessions {
  readonly #now: () => number;
  readonly #limits: Limits;
  readonly #sessions = new Map<string, Session>();
  #token: { readonly hash: Buffer; readonly expiresMs: number } | undefined;
  #count = 0;

  constructor(now: () => number, limits: Limits) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Issues a token. The one before it no longer opens anything. */
  issueToken(): Token {
    const text = randomText();
    const expiresMs = this.#now() + this.#limits.tokenMs;
    this.#token = { hash: hashOf(text), expiresMs };
    return { text, expiresMs };
  }

  /** Exchanges a token for the secret of a new session; undefined for a token that was used, is too old or is wrong. */
  exchange(token: string): string | undefined {
    const expected = this.#token;
    if (expected === undefined || expected.expiresMs <= this.#now()) return undefined;
    if (!timingSafeEqual(expected.hash, hashOf(token))) return undefined;
    this.#token = undefined;
    return this.begin();
  }

  /** Begins a session. The one whose stream has been closed for longest gives way to it. @returns its secret */
  begin(): string {
    this.#makeRoom();
    const secret = randomText();
    this.#count += 1;
    const session = {
      id: this.#count,
      isOpen: false,
      changedMs: this.#now(),
      second: 0,
      requests: 0,
      calls: 0,
    };
    this.#sessions.set(hashOf(secret).toString('hex'), session);
    return secret;
  }

  /** The session with this secret. */
  find(secret: string | undefined): Session | undefined {
    return secret === undefined ? undefined : this.#sessions.get(hashOf(secret).toString('hex'));
  }

  /** Counts a request. @returns false for one beyond the limit of a second */
  mayRequest(session: Session): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (session.second !== second) Object.assign(session, { second, requests: 0 });
    session.requests += 1;
    return session.requests <= this.#limits.requestsPerSecond;
  }

  /** Marks the stream of a session as open or closed. @returns false when too many are open */
  setOpen(session: Session, isOpen: boolean): boolean {
    const open = [...this.#sessions.values()].filter((each) => each.isOpen && each !== session).length;
    if (isOpen && open >= this.#limits.streams) return false;
    Object.assign(session, { isOpen, changedMs: this.#now() });
    return true;
  }

  #makeRoom(): void {
    if (this.#sessions.size < this.#limits.sessions) return;
    const closed = [...this.#sessions].filter(([, { isOpen }]) => !isOpen);
    // At most `limits.streams` sessions, which are fewer, have an open stream.
    const [oldest] = closed.sort(([, a], [, b]) => a.changedMs - b.changedMs);
    if (oldest !== undefined) this.#sessions.delete(oldest[0]);
  }
}

const randomText = () => randomBytes(32).toString('base64url');
const hashOf = (text: string) => createHash('sha256').update(text).digest();
