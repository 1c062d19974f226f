import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayLimits } from './engine.ts';
import { messagePrefix } from './message-collector.ts';
import { nodeEngine } from './node-engine/node-engine.ts';
import { type StreamedCall, streamAnswers } from './stream-answers.ts';

const framed = (text: string) => Buffer.concat([messagePrefix(Buffer.byteLength(text)), Buffer.from(text)]);
const head = { ':status': 200, 'content-type': 'application/grpc' };

/**
 * Makes a call to a server that responds with `answer`. Returns the received messages and how the loop ended.
 */
async function callTo(
  answer: (stream: ServerHttp2Stream) => void,
  init: Partial<StreamedCall> & { onMessage?: (text: string) => Promise<'stop'> | 'stop' | undefined } = {},
) {
  const { onMessage, ...call } = init;
  const streams: ServerHttp2Stream[] = [];
  await using scope = new AsyncDisposableStack();
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    streams.push(stream);
    stream.on('error', () => {});
    stream.resume();
    answer(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const connection = nodeEngine.connect(socket, gatewayLimits);
  scope.defer(() => connection.destroy());
  const texts: string[] = [];
  let fault = 'none';
  try {
    for await (const message of streamAnswers(connection, {
      path: '/a.B/C',
      authority: 'localhost',
      request: Buffer.from('question'),
      maxMessageBytes: 1000,
      signal: new AbortController().signal,
      ...call,
    })) {
      texts.push(message.toString());
      if ((await onMessage?.(message.toString())) === 'stop') break;
    }
  } catch (error) {
    const { kind, message } = error as { kind: string; message: string };
    fault = `${kind}: ${message}`;
  }
  return { texts, fault, stream: streams[0], connection };
}

function finish(stream: ServerHttp2Stream, code: number, message = ''): void {
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code, 'grpc-message': message }));
  stream.end();
}

test('streamAnswers() sends one message and yields those of the response, however they are split', async () => {
  let request = Buffer.alloc(0);
  const { texts, fault } = await callTo((stream) => {
    stream.on('data', (chunk: Buffer) => {
      request = Buffer.concat([request, chunk]);
    });
    stream.respond(head, { waitForTrailers: true });
    const bytes = Buffer.concat([framed('one'), framed(''), framed('three')]);
    for (let at = 0; at < bytes.length; at += 4) stream.write(bytes.subarray(at, at + 4));
    finish(stream, 0);
  });
  assert.deepEqual([texts, fault], [['one', '', 'three'], 'none']);
  assert.deepEqual(request, framed('question'));
});

test('streamAnswers() ends with the status of the call, after the messages before it', async () => {
  const { texts, fault } = await callTo((stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.write(framed('one'));
    finish(stream, 7, 'not%20for you');
  });
  assert.deepEqual([texts, fault], [['one'], 'permission-denied: not for you']);
  // Each code but 0 is a failure, also the one of a call that its server gave up.
  const cancelled = await callTo((stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.write(framed('one'));
    finish(stream, 1, 'given up');
  });
  assert.deepEqual([cancelled.texts, cancelled.fault], [['one'], 'cancelled: given up']);
  const alone = await callTo((stream) =>
    stream.respond({ ...head, 'grpc-status': 2, 'grpc-message': 'access denied' }, { endStream: true }),
  );
  assert.deepEqual([alone.texts, alone.fault], [[], 'unknown: access denied']);
});

test('streamAnswers() reports what is wrong with a response that is not gRPC', async () => {
  const faults = [];
  for (const answer of [
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 404 }, { endStream: false }),
    (stream: ServerHttp2Stream) => {
      stream.respond(head);
      stream.write(Buffer.concat([messagePrefix(1001), Buffer.alloc(10)]));
    },
    (stream: ServerHttp2Stream) => {
      stream.respond(head);
      const compressed = framed('x');
      compressed[0] = 1;
      stream.write(compressed);
    },
    (stream: ServerHttp2Stream) => {
      stream.respond(head);
      stream.end(framed('x'));
    },
    (stream: ServerHttp2Stream) => stream.close(8),
    (stream: ServerHttp2Stream) => stream.session?.destroy(),
  ]) {
    faults.push((await callTo(answer)).fault);
  }
  assert.deepEqual(faults, [
    'unimplemented: the response has HTTP status 404',
    'resource-exhausted: a message of 1001 bytes is larger than 1000',
    'internal: a message of the response is compressed',
    'unknown: the response has no status',
    'cancelled: the call was reset: CANCEL',
    'unavailable: the connection was closed',
  ]);
});

test('streamAnswers() fails with internal when a response that claims success ends inside a message', async () => {
  const ends = [];
  for (const [bytes, code] of [
    [framed('two').subarray(0, 6), 0],
    [framed('two').subarray(0, 3), 0],
    [framed('two').subarray(0, 6), 7],
    [Buffer.alloc(0), 0],
  ] as const) {
    const { texts, fault } = await callTo((stream) => {
      stream.respond(head, { waitForTrailers: true });
      stream.write(Buffer.concat([framed('one'), bytes]));
      finish(stream, code, 'not for you');
    });
    ends.push([texts, fault]);
  }
  assert.deepEqual(ends, [
    [['one'], 'internal: the response ended inside a message: 1 of 3 bytes'],
    [['one'], 'internal: the response ended inside a message: 3 of 5 prefix bytes'],
    [['one'], 'permission-denied: not for you'],
    [['one'], 'none'],
  ]);
});

test('streamAnswers() cancels the call when its loop is left or its signal aborts', async () => {
  const answer = (stream: ServerHttp2Stream) => {
    stream.respond(head);
    stream.write(framed('one'));
  };
  const left = await callTo(answer, { onMessage: () => 'stop' });
  assert.deepEqual([left.texts, left.fault], [['one'], 'none']);
  const stop = new AbortController();
  const aborted = await callTo(answer, {
    signal: stop.signal,
    onMessage: () => void setTimeout(() => stop.abort(), 10),
  });
  assert.deepEqual([aborted.texts, aborted.fault], [['one'], 'none']);
  const never = await callTo(answer, { signal: AbortSignal.abort() });
  assert.deepEqual([never.texts, never.fault, never.stream], [[], 'none', undefined]);
});

test('streamAnswers() pauses the server while its messages are not read', async () => {
  const message = 'x'.repeat(900);
  let written = 0;
  const fill = (stream: ServerHttp2Stream) => {
    while (written < 40_000) {
      written += 1;
      if (!stream.write(framed(message))) {
        stream.once('drain', () => fill(stream));
        return;
      }
    }
    finish(stream, 0);
  };
  const { texts } = await callTo(
    (stream) => {
      stream.respond(head, { waitForTrailers: true });
      fill(stream);
    },
    { onMessage: () => sleep(100, 'stop' as const) },
  );
  assert.equal(texts.length, 1);
  // The window of a stream is two megabytes; the server's own buffers add to it.
  assert.ok(written * 900 < 6_000_000, `${written} messages were written`);
});
