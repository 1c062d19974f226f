/**
 * A gRPC message: a flag, four bytes of length, the body. `declared` overrides the length with a wrong one.
 */
export function framed(body: Uint8Array, declared = body.length): Buffer {
  const message = Buffer.alloc(5 + body.length);
  message.writeUInt32BE(declared, 1);
  message.set(body, 5);
  return message;
}

/** The bodies of the messages in a byte stream; throws when the last one is cut short. */
export function unframed(bytes: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 5 > bytes.length) throw new Error('a message is cut short in its prefix');
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    if (end > bytes.length) throw new Error('a message is cut short');
    bodies.push(bytes.subarray(at + 5, end));
    at = end;
  }
  return bodies;
}
