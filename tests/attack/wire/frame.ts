/** Types of HTTP/2 frames that a flood sends or counts. Source: RFC 9113, section 6. */
export const frameTypes = {
  data: 0x0,
  headers: 0x1,
  resetStream: 0x3,
  settings: 0x4,
  ping: 0x6,
  goAway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
} as const;

export const flags = { acknowledge: 0x1, endStream: 0x1, endHeaders: 0x4 } as const;
export const frameHeadBytes = 9;
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
/** Error code with which a client cancels a call. */
const cancelCode = 0x8;

/** One frame with its header. */
export function frame(type: number, flagBits: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(frameHeadBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flagBits, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, frameHeadBytes);
  return bytes;
}

/** The frame that cancels a call. */
export function cancelFrame(stream: number): Buffer {
  const code = Buffer.alloc(4);
  code.writeUInt32BE(cancelCode);
  return frame(frameTypes.resetStream, 0, stream, code);
}

/** A SETTINGS frame with one setting. */
export function settingFrame(setting: number, value: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(setting, 0);
  payload.writeUInt32BE(value, 2);
  return frame(frameTypes.settings, 0, 0, payload);
}
