// A kernel without IPv6, or without rules, which the kernel of the test has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeCalls } from '../native-calls.ts';
import { encodeMessage, messagesOf, netlinkTypes } from './netlink-message.ts';
import { readRoutes, readRules } from './read-network.ts';

/** A kernel that answers every request with this errno, at once or at the end of a dump. */
function answering(errno: number, type: number = netlinkTypes.error): NativeCalls {
  let sequence = 0;
  const payload = Buffer.alloc(20);
  payload.writeInt32LE(-errno);
  const calls: Partial<NativeCalls> = {
    ...{ socket: () => 7, bind() {}, close() {}, setSocketOption() {} },
    sendTo(_, bytes) {
      sequence = messagesOf(bytes)[0]?.sequence ?? assert.fail();
    },
    receiveFrom(_, into, sender) {
      sender.fill(0);
      const answer = encodeMessage({ type, flags: 0, sequence, payload });
      into.set(answer);
      return answer.length;
    },
  };
  return calls as NativeCalls;
}

test('a kernel that lacks a family or rules has none of them, and another refusal is an error', () => {
  // EOPNOTSUPP, EPFNOSUPPORT, EAFNOSUPPORT of <asm-generic/errno.h>.
  for (const errno of [95, 96, 97]) {
    assert.deepEqual(readRules(answering(errno)), []);
    assert.deepEqual(readRoutes(answering(errno)), []);
  }
  assert.throws(() => readRules(answering(13)), { kind: 'unavailable', message: /EACCES/ });
});

test('a dump that the kernel ends with an errno is no whole one', () => {
  assert.throws(() => readRules(answering(12, netlinkTypes.done)), {
    kind: 'unavailable',
    message: /ENOMEM/,
  });
  assert.deepEqual(readRules(answering(97, netlinkTypes.done)), []);
  assert.deepEqual(readRules(answering(0, netlinkTypes.done)), []);
});
