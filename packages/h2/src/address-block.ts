/** Number of 16-bit groups in a /64 prefix of an IPv6 address. */
const prefixGroups = 4;

/**
 * The block of addresses that limits count as one client: an IPv4 address alone, or the /64 of an IPv6
 * address, because one host usually has a whole /64. A text that is not an address is its own block.
 */
export function addressBlock(address: string): string {
  const [bare = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped !== null) return mapped[1] ?? bare;
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]/`)) return bare;
  const text = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + tailGroups.length < 8) groups.push('0');
  return `${[...groups, ...tailGroups].slice(0, prefixGroups).join(':')}::/64`;
}
