/** Where a set of extensions is while an upgrade may need it. */
export interface ReceivedSet {
  /**
   * Keeps what arrives in a file, which it returns.
   *
   * @throws Fault `invalid-argument` when it is too long, `deadline-exceeded` when its sender is too slow
   */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<string>;
  /** Removes the file, if there is one. */
  remove(): Promise<void>;
}
