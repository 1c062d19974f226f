// Addresses as the kernel stores them (4 or 16 bytes in network order), and their text forms.

const groupCount = 8;

/** `10.5.0.2`. */
function dotted(bytes: Uint8Array): string {
  return [...bytes].join('.');
}

/**
 * The text of an IPv4 address of 4 bytes, or of an IPv6 address of 16 bytes in the form of RFC 5952. A mapped
 * IPv4 address is written as `::ffff:10.5.0.2`.
 */
export function ipAddressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return dotted(bytes);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return dotted(bytes.subarray(12));

  const groups = Array.from(
    { length: groupCount },
    (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
  );
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index - length + 1, length };
  }
  return longest;
}
