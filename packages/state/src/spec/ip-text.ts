import { isIP } from 'node:net';

/** Parses an IP address into 4 or 16 bytes. Returns no bytes for any other text. */
export function ipBytes(text: string): Uint8Array {
  const family = isIP(text);
  if (family === 4) return Uint8Array.from(text.split('.'), Number);
  if (family === 0 || text.includes('%')) return new Uint8Array();
  const bytes = new Uint8Array(16);
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

/** Formats an address of 4 or 16 bytes. Returns an empty text for any other length. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(at * 2).toString(16));
  // The URL parser shortens the address in the standard form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
