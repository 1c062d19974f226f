import { invalidBookmark } from '../faults.ts';

const cookieBytes = 8;
const bookmarkBytes = 16;

/**
 * A bookmark is the store's cookie followed by the number of an event. Source: Talos v1.14: COSI watch
 * semantics.
 */
export class Bookmarks {
  readonly #cookie: Uint8Array;

  /** @param cookie 8 bytes, unique to this run of the store */
  constructor(cookie: Uint8Array) {
    this.#cookie = cookie.slice(0, cookieBytes);
  }

  /** The bookmark after the event with this number; 0 means before the first event. */
  at(number: number): Uint8Array {
    const bookmark = Buffer.alloc(bookmarkBytes);
    bookmark.set(this.#cookie);
    bookmark.writeBigUInt64BE(BigInt(number), cookieBytes);
    return bookmark;
  }

  /** @throws Fault `failed-precondition` when another store made the bookmark */
  numberOf(bookmark: Uint8Array): number {
    const bytes = Buffer.from(bookmark);
    if (bytes.length !== bookmarkBytes || !bytes.subarray(0, cookieBytes).equals(this.#cookie)) {
      throw invalidBookmark();
    }
    return Number(bytes.readBigUInt64BE(cookieBytes));
  }
}
