/** A message in its encoded form, for a server that sends the same message many times. */
export class EncodedMessage {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}
