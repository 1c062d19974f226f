import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeAttribute } from './attributes.ts';
import { decodeLink } from './link-message.ts';

const mac = (last: number) => Buffer.from([2, 0, 0, 0, 0, last]);
const text = (value: string) => Buffer.from(`${value}\0`);

/** A link with the address of its master, which may know the own one of the link. */
function memberOf(kind: string, ...more: readonly Buffer[]) {
  const slaveData = encodeAttribute(5, encodeAttribute(4, mac(1)));
  const info = Buffer.concat([encodeAttribute(4, text(kind)), slaveData]);
  const attributes = [
    encodeAttribute(3, text('eth0')),
    encodeAttribute(1, mac(9)),
    encodeAttribute(18, info),
  ];
  return decodeLink(Buffer.concat([Buffer.alloc(16), ...attributes, ...more]));
}

test('decodeLink() knows the own address of a member of a bond, also when its device has no permanent one', () => {
  const { slaveKind, hardwareAddress, permanentAddress } = memberOf('bond');
  assert.deepEqual(
    [slaveKind, hardwareAddress, permanentAddress],
    ['bond', '02:00:00:00:00:09', '02:00:00:00:00:01'],
  );
  assert.equal(memberOf('bond', encodeAttribute(54, mac(7))).permanentAddress, '02:00:00:00:00:07');
  // Attribute 4 of a port of a bridge is a number.
  assert.equal(memberOf('bridge').permanentAddress, '');
});
