import type { RequestHead, ResponseHead } from '../header-rules.ts';

/**
 * A decoded header block. The decoder returns the same object when the same bytes arrive again, so what was
 * concluded from the fields is kept beside them.
 */
export class HeaderBlock {
  /** Names and values in turn; empty when the block is too large. */
  readonly fields: readonly string[];
  /** The block exceeds the limits on its size. Its fields were decoded, for the table, and dropped. */
  readonly tooLarge: boolean;
  /** The same bytes have arrived again. */
  isRepeated = false;
  /** Set when the block was read as a request, as a response, or as trailers. */
  request: RequestHead | undefined = undefined;
  response: ResponseHead | undefined = undefined;
  /** Why the block is no valid block of trailers; empty when it is valid. */
  trailersError: string | undefined = undefined;

  constructor(fields: readonly string[], tooLarge: boolean) {
    this.fields = fields;
    this.tooLarge = tooLarge;
  }
}
