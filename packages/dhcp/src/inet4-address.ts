// IPv4 addresses as the texts that resources have, and as the 4 bytes that messages have.

/** `10.0.0.1` from 4 bytes. */
export const textOfAddress = (bytes: Uint8Array): string => bytes.subarray(0, 4).join('.');

/** The bytes of `10.0.0.1`. The text must be an address. */
export function bytesOfAddress(text: string): Uint8Array {
  return Uint8Array.from(text.split('.', 4), Number);
}

export const unspecifiedAddress = '0.0.0.0';

/** The 32 bits of an address. */
export function bitsOfAddress(text: string): number {
  return bytesOfAddress(text).reduce((bits, byte) => bits * 256 + byte, 0);
}

/** Whether a single host can have the address: it is not unspecified, loopback, multicast, reserved or broadcast. */
export function isHostAddress(text: string): boolean {
  const [first = 0] = bytesOfAddress(text);
  return first !== 0 && first !== 127 && first < 224;
}

/** The length of a netmask; undefined when a one follows a zero. */
export function prefixLengthOfMask(bytes: Uint8Array): number | undefined {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : undefined;
}

const sizeOf = (prefixLength: number) => 2 ** (32 - prefixLength);

/** Whether two addresses are in one network of this prefix length. */
export function areNeighbours(one: string, other: string, prefixLength: number): boolean {
  const networkOf = (text: string) => Math.floor(bitsOfAddress(text) / sizeOf(prefixLength));
  return networkOf(one) === networkOf(other);
}

/** Whether the address is that of its network, or the broadcast address of it. Networks of two addresses have neither. */
export function isEdgeOfNetwork(text: string, prefixLength: number): boolean {
  if (prefixLength > 30) return false;
  const host = bitsOfAddress(text) % sizeOf(prefixLength);
  return host === 0 || host === sizeOf(prefixLength) - 1;
}
