/** `10.5.0.2`, of exactly 4 bytes. */
export function ipv4Text(bytes: Buffer | undefined): string | undefined {
  return bytes?.join('.');
}

/** RFC 5952, of exactly 16 bytes. */
export function ipv6Text(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(
    ':',
  );
  // The URL parser of Node.js shortens addresses as RFC 5952 requires.
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

/** `02:42:0a:05:00:02`, of exactly 6 bytes. */
export function macText(bytes: Buffer | undefined): string | undefined {
  return bytes === undefined
    ? undefined
    : [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
