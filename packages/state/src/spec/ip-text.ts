import { isIP } from 'node:net';

/** The name or the index of a link, in the zone of an address. */
const zonePattern = /^[\w.:-]{1,15}$/;
const inet6Bytes = 16;

/**
 * Parses an IP address into 4 or 16 bytes, which the zone of an IPv6 address follows, such as that of `fe80::1%eth0`. Returns no bytes
 * for any other text.
 */
export function ipBytes(text: string): Uint8Array {
  const [address = '', zone] = text.split('%', 2);
  const family = isIP(address);
  if (zone !== undefined) {
    if (family !== 6 || !zonePattern.test(text.slice(address.length + 1))) return new Uint8Array();
    return Uint8Array.from([...ipBytes(address), ...new TextEncoder().encode(zone)]);
  }
  if (family === 4) return Uint8Array.from(text.split('.'), Number);
  if (family === 0) return new Uint8Array();
  const bytes = new Uint8Array(inet6Bytes);
  const [head = '', tail] = text.replace(/[\d.]+\.[\d.]+$/, hexOfDotted).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const all = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  all.forEach((group, at) => {
    new DataView(bytes.buffer).setUint16(at * 2, Number.parseInt(group, 16));
  });
  return bytes;
}

/** Converts the `1.2.3.4` at the end of an IPv6 address to two groups. */
function hexOfDotted(dotted: string): string {
  const [a, b, c, d] = dotted.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return `${a}${b}:${c}${d}`;
}

/** Formats an address of 4 or 16 bytes, which a zone may follow. Returns an empty text for any other bytes. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length > inet6Bytes) {
    const zone = String.fromCharCode(...bytes.subarray(inet6Bytes, inet6Bytes + 16));
    return zonePattern.test(zone) ? `${ipText(bytes.subarray(0, inet6Bytes))}%${zone}` : '';
  }
  if (bytes.length !== inet6Bytes) return '';
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(at * 2).toString(16));
  // The URL parser shortens the address in the standard form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
