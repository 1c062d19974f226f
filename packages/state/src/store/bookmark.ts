import { invalidBookmark } from '../faults.ts';

const cookieBytes = 8;
const bookmarkBytes = 16;

/** A bookmark is the store's own cookie and the number of an event. Source: Talos v1.14: COSI watch semantics. */
export class Bookmarks {
  readonly #cookie: Uint8Array;

  /** @param cookie 8 bytes that no other run of the store has. */
  constructor(cookie: Uint8Array) {
    this.#cookie = cookie.slice(0, cookieBytes);
  }

  /** The bookmark after the event with this number; 0: before the first one. */
  at(number: number): Uint8Array {
    const bookmark = Buffer.alloc(bookmarkBytes);
    bookmark.set(this.#cookie);
    bookmark.writeBigUInt64BE(BigInt(number), cookieBytes);
    return bookmark;
  }

  /** @throws Fault `failed-precondition` when it is not of this store */
  numberOf(bookmark: Uint8Array): number {
    const bytes = Buffer.from(bookmark);
    if (bytes.length !== bookmarkBytes || !bytes.subarray(0, cookieBytes).equals(this.#cookie)) {
      throw invalidBookmark();
    }
    return Number(bytes.readBigUInt64BE(cookieBytes));
  }
}
