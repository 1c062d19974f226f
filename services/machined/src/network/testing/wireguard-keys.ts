// Keys for tests. None of them protects anything.
import assert from 'node:assert/strict';
import { Secret } from '@nodewright/fault';
import { wireguardPublicKey } from '@nodewright/linux/network';

/** RFC 7748, section 6.1: the keys of Alice. */
export const ownKey = {
  privateKey: 'dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=',
  publicKey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
} as const;

export const secretOf = (text: string) => new Secret(text);

/** A private or preshared key for a number from 0 to 65,535. */
export function wireguardKey(number: number): string {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt16BE(number, 8);
  return bytes.toString('base64');
}

/** The public key of a peer. */
export const peerKey = (number: number): string =>
  wireguardPublicKey(secretOf(wireguardKey(number))) ?? assert.fail();
