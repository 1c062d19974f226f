import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes random bytes in base 62 as the id of a node. Source: Talos v1.14: node identity, 32 bytes. */
export function nodeIdFromBytes(random: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 62n) text = digits[Number(number % 62n)] + text;
  return text;
}

/** The content of `/etc/machine-id`: 32 hexadecimal digits, the start of the SHA-256 hash of the node's id. */
export function machineIdOf(nodeId: string): string {
  return createHash('sha256').update(nodeId).digest('hex').slice(0, 32);
}

/** The content of `node-identity.yaml`. An id needs no quotes in YAML. */
export function nodeIdentityText(nodeId: string): string {
  return `nodeId: ${nodeId}\n`;
}

/** @throws Fault `data-loss` when the text has no id: the identity of the node is lost */
export function nodeIdFromText(text: string): string {
  const nodeId = /^nodeId: *(["']?)([0-9A-Za-z]+)\1 *$/m.exec(text)?.[2];
  if (nodeId !== undefined) return nodeId;
  throw new Fault('data-loss', 'the node identity has no nodeId: remove the file to create a new one');
}
