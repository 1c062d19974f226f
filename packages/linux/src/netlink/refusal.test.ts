import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeAttribute } from './attributes.ts';
import { encodeMessage, messagesOf } from './netlink-message.ts';
import { explanationOf, refusalOf } from './refusal.ts';

const request = encodeMessage({ type: 16, flags: 5, sequence: 1, payload: Buffer.from('hello') });
const padded = Buffer.concat([request, Buffer.alloc(-request.length & 3)]);
const offset = encodeAttribute(2, Buffer.from([20, 0, 0, 0]));
const said = (text: string) => Buffer.concat([offset, encodeAttribute(1, Buffer.from(`${text}\0`))]);

/** What is read from an error with these flags, in one datagram as the kernel sends it. */
function explanation(flags: number, ...parts: readonly Buffer[]): string {
  const errno = Buffer.alloc(4);
  errno.writeInt32LE(-22);
  const message = { type: 2, flags, sequence: 1, payload: Buffer.concat([errno, ...parts]) };
  const [read = assert.fail()] = messagesOf(encodeMessage(message));
  return explanationOf(read);
}

test('explanationOf() reads what the kernel says, with and without the request in front', () => {
  assert.equal(explanation(0x300, request.subarray(0, 16), said('Bad MTU')), 'Bad MTU');
  assert.equal(explanation(0x200, padded, said('Bad MTU')), 'Bad MTU');
  assert.equal(explanation(0x100, request.subarray(0, 16)), '');
  assert.equal(explanation(0x300, request.subarray(0, 16), offset), '');
  assert.equal(explanation(0x300), '');
});

test('explanationOf() shows no control characters and nothing long, and refuses damaged attributes', () => {
  const shown = explanation(0x300, request.subarray(0, 16), said(`\x1b[2J${'x'.repeat(1000)}`));
  assert.match(shown, /^\?\[2Jx{196}$/);
  assert.throws(() => explanation(0x300, request.subarray(0, 16), Buffer.from([200, 0, 1, 0])), {
    kind: 'data-loss',
  });
});

test('refusalOf() names the errno, and the explanation when there is one', () => {
  assert.equal(refusalOf(22).message, 'netlink: the kernel answers with EINVAL');
  assert.equal(refusalOf(22, 'Bad MTU').message, 'netlink: the kernel answers with EINVAL (Bad MTU)');
});
