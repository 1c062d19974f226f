import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Fault } from '@nodewright/fault';
import { throwReportedFailure } from './throw-reported-failure.ts';
import { faultFromMetadata, unwrapMessages } from './unwrap-messages.ts';

function failed(hostname: string, error: string, code = 0, message = ''): Metadata {
  return { hostname, error, status: code === 0 ? undefined : { code, message, details: [] } };
}

test('unwrapMessages() separates results from failures and keeps the node of each', () => {
  const good = { metadata: { hostname: 'node01', error: '', status: undefined }, value: 1 };
  const bare = { metadata: undefined, value: 2 };
  const { messages, failures } = unwrapMessages({
    messages: [good, { metadata: failed('node02', 'rpc error', 7, 'not authorized'), value: 0 }, bare],
  });
  assert.deepEqual(messages, [good, bare]);
  assert.deepEqual(
    failures.map(({ node, fault }) => [node, fault.kind, fault.message]),
    [['node02', 'permission-denied', 'not authorized']],
  );
});

test('faultFromMetadata() uses the text when an older node sends no status', () => {
  const fault = faultFromMetadata(failed('', 'it broke'));
  assert.deepEqual([fault?.kind, fault?.message], ['unknown', 'it broke']);
});

test('throwReportedFailure() throws the failure of an entry or a stream message, and accepts results', () => {
  throwReportedFailure({ messages: [{ metadata: undefined }] });
  throwReportedFailure({ metadata: undefined, bytes: Buffer.alloc(1) });
  throwReportedFailure({});
  for (const reply of [
    { messages: [{ metadata: failed('', 'x', 14, 'gone') }] },
    { metadata: failed('', 'x', 14, 'gone') },
  ]) {
    assert.throws(
      () => throwReportedFailure(reply),
      (error) => error instanceof Fault && error.kind === 'unavailable' && error.message === 'gone',
    );
  }
});
