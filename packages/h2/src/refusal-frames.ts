const settingsType = 4;
const goawayType = 7;
/** Maximum length of the text in a GOAWAY, in bytes. */
const maxReasonBytes = 1024;

/**
 * The frames that a server sends to a client that it refuses: its SETTINGS, which must come first, and a
 * GOAWAY with the reason, which accepts no call. Node.js cannot send a TLS alert for a certificate that this
 * code refuses. Source: RFC 9113, 3.4 and 6.8.
 */
export function refusalFrames(code: number, reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, maxReasonBytes);
  const goaway = Buffer.alloc(8);
  goaway.writeUInt32BE(code, 4);
  return Buffer.concat([frameHead(settingsType, 0), frameHead(goawayType, 8 + text.length), goaway, text]);
}

function frameHead(type: number, length: number): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  return head;
}
