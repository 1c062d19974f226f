import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffDelayMs } from './backoff.ts';
import {
  decodeGrpcMessage,
  encodeGrpcMessage,
  grpcCodeFromH2Error,
  grpcCodeFromHttpStatus,
  isGrpcContentType,
  statusFromHeaders,
  statusTrailers,
} from './grpc-status.ts';
import { formatGrpcTimeout, parseGrpcTimeout } from './grpc-timeout.ts';

test('parseGrpcTimeout() accepts every unit and rejects other texts', () => {
  const rows: [string, number | undefined][] = [
    ['2H', 7_200_000],
    ['3M', 180_000],
    ['4S', 4000],
    ['5m', 5],
    ['1500u', 1.5],
    ['0S', 0],
    ['99999999S', 99_999_999_000],
    ['100000000S', undefined],
    ['5', undefined],
    ['S', undefined],
    ['-1S', undefined],
    ['1.5S', undefined],
    ['5 S', undefined],
    ['5s', undefined],
  ];
  assert.deepEqual(
    rows.map(([text]) => [text, parseGrpcTimeout(text)]),
    rows,
  );
});

test('formatGrpcTimeout() returns a valid value that is never too short', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (timeoutMs) => {
      const text = formatGrpcTimeout(timeoutMs);
      assert.match(text, /^\d{1,8}[HMSm]$/);
      assert.ok((parseGrpcTimeout(text) ?? -1) >= timeoutMs);
    }),
  );
  assert.deepEqual([formatGrpcTimeout(1500), formatGrpcTimeout(-3)], ['1500m', '0m']);
});

test('encodeGrpcMessage() and decodeGrpcMessage() keep any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (message) => {
      const encoded = encodeGrpcMessage(message);
      assert.match(encoded, /^[ -~]*$/);
      assert.equal(decodeGrpcMessage(encoded), message.toWellFormed());
    }),
  );
  assert.equal(encodeGrpcMessage('50% of "ä"\n'), '50%25 of "%C3%A4"%0A');
});

test('decodeGrpcMessage() keeps invalid escapes', () => {
  assert.equal(decodeGrpcMessage('100% of %zz %4'), '100% of %zz %4');
});

test('statusFromHeaders() reads the output of statusTrailers(), and maps invalid codes to unknown', () => {
  const status = { code: 14, message: 'no route to node "x"' };
  assert.deepEqual(
    [
      statusFromHeaders(statusTrailers(status)),
      statusFromHeaders(['grpc-status', 'many']),
      statusFromHeaders(['x', 'y']),
    ],
    [status, { code: 2, message: '' }, undefined],
  );
});

test('grpcCodeFromH2Error() maps RST_STREAM codes as the specification does', () => {
  assert.deepEqual(
    Array.from({ length: 15 }, (_, code) => grpcCodeFromH2Error(code)),
    [13, 13, 13, 13, 13, 2, 13, 14, 1, 13, 13, 8, 7, 2, 2],
  );
});

test('grpcCodeFromHttpStatus() maps HTTP statuses as the specification does', () => {
  const statuses = [400, 401, 403, 404, 429, 500, 502, 503, 504, 302];
  assert.deepEqual(statuses.map(grpcCodeFromHttpStatus), [13, 16, 7, 12, 14, 2, 14, 14, 14, 2]);
});

test('isGrpcContentType() accepts the types of gRPC and no others', () => {
  const yes = [
    'application/grpc',
    'application/grpc+proto',
    'application/grpc+proxy>proto',
    'application/grpc;x=y',
  ];
  const no = ['application/grpc-web', 'application/grpcx', 'application/json', '', undefined];
  assert.deepEqual(
    [yes.map(isGrpcContentType), no.map(isGrpcContentType)],
    [yes.map(() => true), no.map(() => false)],
  );
});

test('backoffDelayMs() grows from one second to fifteen, with 20 % jitter', () => {
  assert.deepEqual(
    [1, 2, 3, 30].map((failures) => Math.round(backoffDelayMs(failures, 0.5))),
    [1000, 1600, 2560, 15_000],
  );
  assert.deepEqual([backoffDelayMs(1, 0), backoffDelayMs(30, 0.999)], [800, 15_000]);
});

test('encodeGrpcMessage() encodes a space at either end, which no field value may have', () => {
  const texts = [' a b', 'a b ', ' ', '', 'a b', '  é% '];
  assert.deepEqual(texts.map(encodeGrpcMessage), ['%20a b', 'a b%20', '%20', '', 'a b', '%20 %C3%A9%25%20']);
  assert.deepEqual(
    texts.map((text) => decodeGrpcMessage(encodeGrpcMessage(text))),
    texts,
  );
});
