/** A record of `/dev/kmsg`. Source: Linux, Documentation/ABI/testing/dev-kmsg. */
export interface KmsgRecord {
  /** 0 emergency to 7 debug. */
  readonly priority: number;
  /** Syslog facility: 0 kernel, 1 user, ... */
  readonly facility: number;
  /** Sequence number: grows by one with each record. */
  readonly sequence: bigint;
  /** Microseconds of the monotonic clock. */
  readonly sinceBootUs: bigint;
  /** The message with its newline, and the lines ` KEY=value` after it; escapes are decoded. */
  readonly text: Uint8Array;
}

const headPattern = /^(\d{1,9}),(\d{1,19}),(\d{1,18}),[^;]*;/;
const maxHeadBytes = 256;
const backslash = 0x5c;
const letterX = 0x78;

/** Parses one record; undefined for bytes in another format. */
export function parseKmsgRecord(bytes: Uint8Array): KmsgRecord | undefined {
  const head = headPattern.exec(Buffer.from(bytes.subarray(0, maxHeadBytes)).toString('latin1'));
  if (head === null) return undefined;
  const level = Number(head[1]);
  return {
    priority: level & 7,
    facility: level >> 3,
    sequence: BigInt(head[2] as string),
    sinceBootUs: BigInt(head[3] as string),
    text: withoutEscapes(bytes.subarray(head[0].length)),
  };
}

/** The kernel escapes control characters and backslashes as `\x1b`. */
function withoutEscapes(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes);
  if (!text.includes(backslash)) return text;
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const digits =
      text[at] === backslash && text[at + 1] === letterX ? text.toString('latin1', at + 2, at + 4) : '';
    const isEscape = /^[\da-fA-F]{2}$/.test(digits);
    text[length++] = isEscape ? Number.parseInt(digits, 16) : (text[at] as number);
    at += isEscape ? 4 : 1;
  }
  return text.subarray(0, length);
}
