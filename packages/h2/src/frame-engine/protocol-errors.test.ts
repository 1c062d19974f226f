// What a client may not do, and the error that it gets. Source: RFC 9113.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboundCall } from '../call.ts';
import { answerHead, requestHead } from '../conformance/index.ts';
import { h2ErrorCodes, h2ErrorName } from '../error-codes.ts';
import { frameTypes, settingIds } from './frame-types.ts';
import * as wire from './testing/frames.ts';
import { RawPeer } from './testing/raw-peer.ts';

const { data, endHeaders, endStream, frame, headers, number, padded, priority, settings } = wire;
const types = frameTypes;
const codes = h2ErrorCodes;
const empty = Buffer.alloc(0);
const request = (stream: number, ended = true) =>
  headers(stream, requestHead, endHeaders | (ended ? endStream : 0));
const replaced = (name: string, value: string) =>
  requestHead.map((text, index) => (index > 0 && requestHead[index - 1] === name ? value : text));
const without = (name: string) => {
  const at = requestHead.indexOf(name);
  return [...requestHead.slice(0, at), ...requestHead.slice(at + 2)];
};

/** Answers a call at once when its path ends with `answered`; otherwise it stays open and is read. */
function serve(call: InboundCall): void {
  call.receive({ requestData() {}, requestEnded() {}, answerDrained() {}, cancelled() {} });
  call.resume();
  if (call.headers.includes('x-answered')) call.respond([...answerHead, 'grpc-status', '0'], true);
}

type Row = readonly [what: string, code: number, frames: readonly Buffer[]];

const connectionErrors: readonly Row[] = [
  ['a frame before SETTINGS', codes.protocolError, []],
  ['a frame over 16,384 bytes', codes.frameSizeError, [data(1, Buffer.alloc(16_385))]],
  ['DATA without a stream', codes.protocolError, [data(0, empty)]],
  ['DATA on an idle stream', codes.protocolError, [data(1, Buffer.alloc(1))]],
  [
    'padding that exceeds DATA',
    codes.protocolError,
    [request(1, false), data(1, Buffer.from([9, 1]), padded)],
  ],
  ['padded DATA without a length', codes.frameSizeError, [request(1, false), data(1, empty, padded)]],
  ['HEADERS without a stream', codes.protocolError, [request(0)]],
  ['HEADERS on an even stream', codes.protocolError, [request(2)]],
  ['HEADERS on a lower stream', codes.protocolError, [request(5), request(3)]],
  [
    'padding that exceeds HEADERS',
    codes.protocolError,
    [frame(types.headers, endHeaders | padded, 1, Buffer.from([9, 0x82]))],
  ],
  [
    'HEADERS without room for a priority',
    codes.frameSizeError,
    [frame(types.headers, endHeaders | priority, 1, Buffer.alloc(4))],
  ],
  [
    'a stream that depends on itself',
    codes.protocolError,
    [frame(types.headers, endHeaders | priority, 1, Buffer.concat([number(1), Buffer.from([0, 0x82])]))],
  ],
  [
    'an invalid header block',
    codes.compressionError,
    [frame(types.headers, endHeaders, 1, Buffer.from([0xff]))],
  ],
  ['PRIORITY without a stream', codes.protocolError, [frame(types.priority, 0, 0, Buffer.alloc(5))]],
  ['PRIORITY of the wrong size', codes.frameSizeError, [frame(types.priority, 0, 1, Buffer.alloc(4))]],
  ['RST_STREAM without a stream', codes.protocolError, [frame(types.resetStream, 0, 0, number(8))]],
  ['RST_STREAM on an idle stream', codes.protocolError, [frame(types.resetStream, 0, 1, number(8))]],
  [
    'RST_STREAM of the wrong size',
    codes.frameSizeError,
    [request(1), frame(types.resetStream, 0, 1, Buffer.alloc(3))],
  ],
  ['SETTINGS with a stream', codes.protocolError, [frame(types.settings, 0, 1)]],
  ['SETTINGS of the wrong size', codes.frameSizeError, [frame(types.settings, 0, 0, Buffer.alloc(5))]],
  ['an acknowledgement with settings', codes.frameSizeError, [frame(types.settings, 1, 0, Buffer.alloc(6))]],
  ['an acknowledgement without SETTINGS', codes.protocolError, [wire.settingsAnswer]],
  ['ENABLE_PUSH of 2', codes.protocolError, [settings([settingIds.enablePush, 2])]],
  ['a window of 2^31', codes.flowControlError, [settings([settingIds.initialWindowSize, 2 ** 31])]],
  ['frames below 16,384 bytes', codes.protocolError, [settings([settingIds.maxFrameSize, 16_383])]],
  ['frames of 2^24 bytes', codes.protocolError, [settings([settingIds.maxFrameSize, 2 ** 24])]],
  [
    '33 settings in one frame',
    codes.enhanceYourCalm,
    [settings(...Array.from({ length: 33 }, () => [99, 0] as const))],
  ],
  ['PUSH_PROMISE', codes.protocolError, [frame(types.pushPromise, endHeaders, 1, number(2))]],
  ['PING with a stream', codes.protocolError, [frame(types.ping, 0, 1, Buffer.alloc(8))]],
  ['PING of the wrong size', codes.frameSizeError, [frame(types.ping, 0, 0, Buffer.alloc(7))]],
  ['GOAWAY with a stream', codes.protocolError, [frame(types.goaway, 0, 1, Buffer.alloc(8))]],
  ['GOAWAY of the wrong size', codes.frameSizeError, [frame(types.goaway, 0, 0, Buffer.alloc(7))]],
  [
    'WINDOW_UPDATE of the wrong size',
    codes.frameSizeError,
    [frame(types.windowUpdate, 0, 0, Buffer.alloc(3))],
  ],
  [
    'WINDOW_UPDATE of 0 for the connection',
    codes.protocolError,
    [frame(types.windowUpdate, 0, 0, number(0))],
  ],
  ['WINDOW_UPDATE on an idle stream', codes.protocolError, [frame(types.windowUpdate, 0, 1, number(1))]],
  [
    'a window of the connection over 2^31-1',
    codes.flowControlError,
    [frame(types.windowUpdate, 0, 0, number(2 ** 31 - 1))],
  ],
  [
    'a setting that makes a window too large',
    codes.flowControlError,
    [
      request(1, false),
      frame(types.windowUpdate, 0, 1, number(2 ** 31 - 1 - 65_535)),
      settings([settingIds.initialWindowSize, 65_536]),
    ],
  ],
  ['CONTINUATION without HEADERS', codes.protocolError, [frame(types.continuation, endHeaders, 1)]],
  [
    'CONTINUATION of another stream',
    codes.protocolError,
    [headers(1, requestHead, 0), frame(types.continuation, endHeaders, 3)],
  ],
  [
    'a frame inside a header block',
    codes.protocolError,
    [headers(1, requestHead, 0), frame(types.ping, 0, 0, Buffer.alloc(8))],
  ],
  [
    'an unknown frame inside a header block',
    codes.protocolError,
    [headers(1, requestHead, 0), frame(99, 0, 0)],
  ],
  [
    'DATA after both ends have ended',
    codes.streamClosed,
    [headers(1, [...requestHead, 'x-answered', '1'], endHeaders | endStream), data(1, Buffer.alloc(1))],
  ],
  [
    'HEADERS after both ends have ended',
    codes.streamClosed,
    [headers(1, [...requestHead, 'x-answered', '1'], endHeaders | endStream), request(1)],
  ],
  [
    'DATA after RST_STREAM',
    codes.streamClosed,
    [request(1, false), frame(types.resetStream, 0, 1, number(8)), data(1, Buffer.alloc(1))],
  ],
];

test('the frame engine ends a connection with the right error code', async () => {
  for (const [what, code, frames] of connectionErrors) {
    const isFirst = frames.length === 0;
    const start = isFirst ? Buffer.concat([wire.preface.subarray(0, 24), request(1)]) : wire.preface;
    await using peer = await RawPeer.open(serve, {}, start);
    if (!isFirst) peer.send(...frames);
    assert.equal(h2ErrorName(await peer.goawayCode()), h2ErrorName(code), what);
    await peer.closed;
    assert.equal(peer.errors.length, 1, what);
  }
});

const malformed: readonly (readonly [what: string, fields: readonly string[]])[] = [
  ['a capital in a name', [...requestHead, 'X-upper', '1']],
  ['a blank in a name', [...requestHead, 'x y', '1']],
  ['no name', [...requestHead, '', '1']],
  ['a line break in a value', [...requestHead, 'x', 'a\r\nb']],
  ['a NUL in a value', [...requestHead, 'x', 'a\0']],
  ['an unknown pseudo-header field', [':unknown', '1', ...requestHead]],
  ['a pseudo-header field of responses', [':status', '200', ...requestHead]],
  ['a pseudo-header field after others', [...requestHead.slice(0, 6), 'x', '1', ...requestHead.slice(6)]],
  ['no method', without(':method')],
  ['no scheme', without(':scheme')],
  ['no path', without(':path')],
  ['an empty path', replaced(':path', '')],
  ['a path without a slash', replaced(':path', 'a/b')],
  ['two paths', [':path', '/a/b', ...requestHead]],
  ['two methods', [':method', 'GET', ...requestHead]],
  ['a blank in the authority', replaced(':authority', 'a b')],
  ['the field connection', [...requestHead, 'connection', 'close']],
  ['the field transfer-encoding', [...requestHead, 'transfer-encoding', 'chunked']],
  ['a te other than trailers', replaced('te', 'gzip')],
  ['a content-length that is no number', [...requestHead, 'content-length', '1x']],
  ['a content-length without a body', [...requestHead, 'content-length', '1']],
];

test('the frame engine resets a malformed request with PROTOCOL_ERROR, and keeps the connection', async () => {
  let served = 0;
  await using peer = await RawPeer.open((call) => {
    served += 1;
    serve(call);
  });
  let stream = 1;
  for (const [what, fields] of malformed) {
    peer.send(headers(stream, fields, endHeaders | endStream));
    assert.equal(await peer.resetCode(stream), codes.protocolError, what);
    stream += 2;
  }
  peer.send(headers(stream, [...requestHead, 'x-answered', '1'], endHeaders | endStream));
  await peer.find((one) => one.type === types.headers && one.stream === stream, 'an answer');
  assert.deepEqual([served, peer.errors], [1, []]);
});

const streamErrors: readonly Row[] = [
  ['DATA after END_STREAM', codes.streamClosed, [request(1), data(1, Buffer.alloc(1))]],
  ['HEADERS after END_STREAM', codes.streamClosed, [request(1), request(1)]],
  ['trailers that do not end the request', codes.protocolError, [request(1, false), headers(1, ['x', '1'])]],
  [
    'trailers with a pseudo-header field',
    codes.protocolError,
    [request(1, false), headers(1, [':path', '/'], endHeaders | endStream)],
  ],
  [
    'WINDOW_UPDATE of 0',
    codes.protocolError,
    [request(1, false), frame(types.windowUpdate, 0, 1, number(0))],
  ],
  [
    'a window over 2^31-1',
    codes.flowControlError,
    [request(1, false), frame(types.windowUpdate, 0, 1, number(2 ** 31 - 1))],
  ],
  [
    'a body larger than its content-length',
    codes.protocolError,
    [headers(1, [...requestHead, 'content-length', '1']), data(1, Buffer.alloc(2))],
  ],
  [
    'a body smaller than its content-length',
    codes.protocolError,
    [headers(1, [...requestHead, 'content-length', '3']), data(1, Buffer.alloc(2), endStream)],
  ],
];

test('the frame engine resets a stream with the right error code, and keeps the connection', async () => {
  for (const [what, code, frames] of streamErrors) {
    await using peer = await RawPeer.open(serve);
    peer.send(...frames);
    assert.equal(h2ErrorName(await peer.resetCode(1)), h2ErrorName(code), what);
    peer.send(headers(3, [...requestHead, 'x-answered', '1'], endHeaders | endStream));
    await peer.find((one) => one.type === types.headers && one.stream === 3, what);
    assert.deepEqual(peer.errors, [], what);
  }
});

test('the frame engine accepts what RFC 9113 allows', async () => {
  const answered = [...requestHead, 'x-answered', '1'];
  const whole = wire.block(answered);
  const rows: readonly (readonly [what: string, frames: readonly Buffer[]])[] = [
    ['an unknown frame', [frame(99, 255, 7, Buffer.alloc(9)), headers(1, answered, endHeaders | endStream)]],
    ['unknown settings', [settings([99, 1]), headers(1, answered, endHeaders | endStream)]],
    [
      'PRIORITY on any stream',
      [frame(types.priority, 0, 9, Buffer.alloc(5)), headers(1, answered, endHeaders | endStream)],
    ],
    [
      'a priority',
      [
        frame(
          types.headers,
          endHeaders | priority | endStream,
          1,
          Buffer.concat([number(3), Buffer.from([1]), whole]),
        ),
      ],
    ],
    [
      'padding',
      [
        frame(
          types.headers,
          endHeaders | padded | endStream,
          1,
          Buffer.concat([Buffer.from([4]), whole, Buffer.alloc(4)]),
        ),
      ],
    ],
    [
      'CONTINUATION',
      [
        frame(types.headers, endStream, 1, whole.subarray(0, 5)),
        frame(types.continuation, 0, 1, empty),
        frame(types.continuation, endHeaders, 1, whole.subarray(5)),
      ],
    ],
    [
      'frames on a stream that the server reset',
      [
        headers(1, [...answered, 'te', 'trailers']),
        data(1, Buffer.alloc(9)),
        headers(1, ['x', '1'], endHeaders | endStream),
      ],
    ],
  ];
  for (const [what, frames] of rows) {
    await using peer = await RawPeer.open(serve);
    peer.send(...frames, frame(types.ping, 0, 0, Buffer.from('12345678')));
    await peer.find((one) => one.type === types.headers && one.stream === 1, what);
    const answer = await peer.find((one) => one.type === types.ping && one.flags === 1, 'a PING answer');
    assert.deepEqual([answer.payload.toString(), peer.errors], ['12345678', []], what);
  }
});

test('the frame engine reads frames wherever the packets end', async () => {
  let body = '';
  await using peer = await RawPeer.open(
    (call) => {
      call.receive({
        requestData: (chunk) => {
          body += chunk.toString();
        },
        requestEnded: () => call.respond([...answerHead, 'x-body', body], true),
        answerDrained() {},
        cancelled() {},
      });
      call.resume();
    },
    {},
    empty,
  );
  const bytes = Buffer.concat([
    wire.preface,
    request(1, false),
    data(1, Buffer.concat([Buffer.from([3]), Buffer.from('hello '), Buffer.alloc(3)]), padded),
    data(1, Buffer.from('world')),
    headers(1, ['x', '1'], endHeaders | endStream),
  ]);
  for (const byte of bytes) {
    peer.socket.write(Buffer.from([byte]));
    if (byte % 7 === 0) await new Promise(setImmediate);
  }
  const { payload } = await peer.find((one) => one.type === types.headers, 'the answer');
  assert.ok(payload.toString('latin1').includes('hello world'));
  assert.deepEqual(peer.errors, []);
});
