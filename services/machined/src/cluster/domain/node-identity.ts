import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The id of a node: so many random bytes in base 62. Source: Talos v1.14: node identity, 32 bytes. */
export function nodeIdFromBytes(random: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 62n) text = digits[Number(number % 62n)] + text;
  return text;
}

/** `/etc/machine-id` of a node: 32 digits that follow from its id. */
export function machineIdOf(nodeId: string): string {
  return createHash('sha256').update(nodeId).digest('hex').slice(0, 32);
}

/** The content of `node-identity.yaml`. The digits of an id need no quotes. */
export function nodeIdentityText(nodeId: string): string {
  return `nodeId: ${nodeId}\n`;
}

/** @throws Fault `data-loss` when the text holds no id: who the node was is lost then */
export function nodeIdFromText(text: string): string {
  const nodeId = /^nodeId: *(["']?)([0-9A-Za-z]+)\1 *$/m.exec(text)?.[2];
  if (nodeId !== undefined) return nodeId;
  throw new Fault('data-loss', 'the node identity holds no nodeId: remove the file to make a new one');
}
