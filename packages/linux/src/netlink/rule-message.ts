import { attributeIp, attributeNumber, attributesOf, attributeText } from './attributes.ts';
import { requireBytes, viewOf } from './netlink-message.ts';

/** A rule that selects a routing table. Numbers are those of <linux/fib_rules.h>. */
export interface KernelRule {
  /** 2 (IPv4) or 10 (IPv6). */
  readonly family: number;
  /** `10.0.0.0/24`; empty: any source. */
  readonly source: string;
  readonly destination: string;
  readonly table: number;
  readonly priority: number;
  readonly action: number;
  readonly inputLink: string;
  readonly outputLink: string;
  readonly mark: number;
  readonly markMask: number;
}

const headerBytes = 12;
const attribute = {
  ...{ destination: 1, source: 2, inputLink: 3, priority: 6, mark: 10, table: 15, markMask: 16 },
  outputLink: 17,
} as const;

/**
 * Decodes the payload of a message about a rule.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function decodeRule(payload: Uint8Array): KernelRule {
  requireBytes(payload, headerBytes, 'a rule');
  const view = viewOf(payload);
  const attributes = attributesOf(payload.subarray(headerBytes));
  const number = (type: number) => attributeNumber(attributes, type) ?? 0;
  const network = (type: number, length: number) => {
    const address = attributeIp(attributes, type);
    return address === '' ? '' : `${address}/${length}`;
  };
  return {
    family: view.getUint8(0),
    source: network(attribute.source, view.getUint8(2)),
    destination: network(attribute.destination, view.getUint8(1)),
    table: attributeNumber(attributes, attribute.table) ?? view.getUint8(4),
    priority: number(attribute.priority),
    action: view.getUint8(7),
    inputLink: attributeText(attributes, attribute.inputLink),
    outputLink: attributeText(attributes, attribute.outputLink),
    mark: number(attribute.mark),
    markMask: number(attribute.markMask),
  };
}
