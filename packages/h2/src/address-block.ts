/** Groups of 16 bits in the /64 of an IPv6 address. */
const prefixGroups = 4;

/**
 * What counts as one client: an IPv4 address by itself, an IPv6 address by its /64, which one host has to
 * itself. Text that is no address counts by itself.
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
