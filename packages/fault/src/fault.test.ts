import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Fault, type FaultKind } from './fault.ts';
import { faultFrom } from './fault-from.ts';
import { grpcCodeFromKind, grpcCodeName, kindFromGrpcCode } from './grpc-code.ts';
import { Secret } from './secret.ts';

test('kinds and gRPC codes convert into each other for all codes', () => {
  const codes = Array.from({ length: 16 }, (_, index) => index + 1);
  assert.deepEqual(
    codes.map((code) => grpcCodeFromKind(kindFromGrpcCode(code))),
    codes,
  );
});

test('kindFromGrpcCode() treats a code outside the specification as unknown', () => {
  assert.deepEqual([-1, 0, 17, 255].map(kindFromGrpcCode), Array(4).fill('unknown'));
});

test('grpcCodeName() returns the names that gRPC for Go prints', () => {
  assert.deepEqual([0, 1, 7, 12, 14, 99].map(grpcCodeName), [
    'OK',
    'Canceled',
    'PermissionDenied',
    'Unimplemented',
    'Unavailable',
    'Code(99)',
  ]);
});

test('faultFrom() gives every kind of thrown value a kind and keeps its text', () => {
  const errno = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });
  const rows: [unknown, FaultKind, string][] = [
    [new Fault('not-found', 'no such disk'), 'not-found', 'no such disk'],
    [errno('ENOENT'), 'not-found', 'ENOENT: it failed'],
    [errno('ECONNREFUSED'), 'unavailable', 'ECONNREFUSED: it failed'],
    [errno('EWHATEVER'), 'unknown', 'EWHATEVER: it failed'],
    [Object.assign(new Error('7 x: no'), { code: 7, details: 'no' }), 'permission-denied', 'no'],
    [AbortSignal.abort().reason, 'cancelled', 'the call was cancelled'],
    ['a text', 'unknown', 'a text'],
    [undefined, 'unknown', 'undefined'],
  ];
  for (const [value, kind, message] of rows) {
    const fault = faultFrom(value);
    assert.deepEqual({ kind: fault.kind, message: fault.message }, { kind, message });
  }
});

test('a Secret is redacted in every kind of output', () => {
  const secret = new Secret('abcdef.0123456789abcdef');
  const shown = [String(secret), `${secret}`, JSON.stringify({ secret }), inspect({ secret })].join(' ');
  assert.equal(shown.includes('abcdef'), false);
  assert.equal(secret.reveal(), 'abcdef.0123456789abcdef');
});

test('faultFrom() shows the first failure when the clean-up after it fails, too', () => {
  const first = new Fault('not-found', 'there is no such image');
  const fault = faultFrom(new SuppressedError(new Error('the disk is full'), first));
  assert.deepEqual(
    [fault.kind, fault.message],
    ['not-found', 'there is no such image; then the clean-up failed, too: the disk is full'],
  );
});
