// Rules that choose a routing table. Only a node that owns its network may call these functions.
import { ipAddressBytes } from '../ip-address-text.ts';
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { netlinkFlags } from './netlink-message.ts';
import { requestChange } from './request-change.ts';
import { type KernelRule, ruleAttributes } from './rule-message.ts';

// <linux/rtnetlink.h>, <linux/fib_rules.h>
const newRule = 32;
const deleteRule = 33;
const maxHeaderTable = 255;

/**
 * Adds a rule. One that equals it is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function addRule(calls: NativeCalls, rule: KernelRule): void {
  const flags = netlinkFlags.create | netlinkFlags.exclusive;
  requestChange(calls, { type: newRule, flags, payload: encodeRule(rule), allowed: 'EEXIST' });
}

/**
 * Removes the first rule that has everything that this one names. One that is not there is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function removeRule(calls: NativeCalls, rule: KernelRule): void {
  requestChange(calls, { type: deleteRule, payload: encodeRule(rule), allowed: 'ENOENT' });
}

/** The payload of a message about a rule, which `decodeRule()` reads. */
export function encodeRule(rule: KernelRule): Buffer {
  const [source = '', sourceLength = '0'] = rule.source.split('/');
  const [destination = '', destinationLength = '0'] = rule.destination.split('/');
  const header = Buffer.alloc(12);
  header.set([rule.family, Number(destinationLength), Number(sourceLength), 0]);
  header.writeUInt8(rule.table > maxHeaderTable ? 0 : rule.table, 4);
  header.writeUInt8(rule.action, 7);
  const names = ruleAttributes;
  const text = (type: number, value: string) =>
    value === '' ? [] : [encodeAttribute(type, Buffer.from(`${value}\0`))];
  const number = (type: number, value: number) => (value === 0 ? [] : [encodeAttribute(type, word(value))]);
  return Buffer.concat([
    header,
    ...(destination === '' ? [] : [encodeAttribute(names.destination, ipAddressBytes(destination))]),
    ...(source === '' ? [] : [encodeAttribute(names.source, ipAddressBytes(source))]),
    ...text(names.inputLink, rule.inputLink),
    encodeAttribute(names.priority, word(rule.priority)),
    ...number(names.mark, rule.mark),
    encodeAttribute(names.table, word(rule.table)),
    ...(rule.mark === 0 ? [] : number(names.markMask, rule.markMask)),
    ...text(names.outputLink, rule.outputLink),
    encodeAttribute(names.protocol, Buffer.of(rule.protocol)),
  ]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
