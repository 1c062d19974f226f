import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequest } from './check-request.ts';

test('checkRequest() accepts gRPC calls and reports what is wrong with other requests', () => {
  const rows = [
    checkRequest('POST', '/machine.MachineService/Memory', 'application/grpc', true),
    checkRequest('POST', '/a/b/c', 'application/grpc', true),
    checkRequest('GET', '/', 'application/grpc', true)?.httpStatus,
    checkRequest('POST', '/a.B/C', 'text/html', false),
    checkRequest('POST', '/a.B/C', undefined, false)?.message,
    ...['/a', '', '/a/', '//b', '*'].map(
      (path) => checkRequest('POST', path, 'application/grpc', true)?.message,
    ),
  ];
  assert.deepEqual(rows, [
    undefined,
    undefined,
    405,
    {
      httpStatus: 415,
      fault: 'invalid-argument',
      message: 'content-type must be application/grpc, not "text/html"',
    },
    'content-type must be application/grpc, but it is missing',
    'malformed method name: "/a"',
    'malformed method name: ""',
    'malformed method name: "/a/"',
    'malformed method name: "//b"',
    'malformed method name: "*"',
  ]);
});
