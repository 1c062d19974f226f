// Downloads that last: what the client sends in answer to the bodies is no flood, however much it is.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { answerHead, requestHead } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { floodLimits } from './flood-limits.ts';
import { frameEngine } from './frame-engine.ts';
import { frameTypes, settingIds } from './frame-types.ts';
import { type ClientWindows, DownloadingPeer } from './testing/downloading-peer.ts';
import { endHeaders, endStream, frame, headers, number, preface, settings } from './testing/frames.ts';
import { socketKinds } from './testing/socket-pairs.ts';
import { openVirtualPair, VirtualSocket } from './testing/virtual-socket.ts';

const gibibyte = 1024 ** 3;
/** More than the 5 GiB after which the largest windows ended a connection. `make soak-download` downloads 20 GiB from real daemons. */
const downloadBytes = 6 * gibibyte;
const bytesPerCall = downloadBytes / 2000;
const { burst } = floodLimits.idleFrames;
const status = ['grpc-status', '0'];
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Accepts calls: a short one is answered at once, any other one gets as much body as its client reads. */
function serve(socket: Socket) {
  const chunk = Buffer.alloc(64 * 1024);
  const errors: string[] = [];
  const onCall = (call: InboundCall) => {
    call.respond(answerHead);
    if (call.headers.includes('x-short')) {
      call.write(Buffer.alloc(100));
      call.finish(status);
      return;
    }
    let isOver = false;
    const fill = () => {
      while (!isOver && call.write(chunk));
    };
    const cancelled = () => {
      isOver = true;
    };
    call.receive({ requestData() {}, requestEnded() {}, answerDrained: fill, cancelled });
    fill();
  };
  const onError = (reason: string) => errors.push(reason);
  return { server: frameEngine.accept(socket, gatewayLimits, { onCall, onError }), errors };
}

const nodeWindows = { streamBytes: 65_535, connectionBytes: 65_535, returnedShare: 0.5, hasProbes: false };
const goWindows = {
  ...nodeWindows,
  streamBytes: 65_535 * 32,
  connectionBytes: 65_535 * 16,
  returnedShare: 0.25,
};
const rows: readonly (readonly [client: string, windows: ClientWindows])[] = [
  ['the default windows of node:http2', nodeWindows],
  ["upstream's windows, and probes", { ...goWindows, hasProbes: true }],
];

for (const [client, windows] of rows) {
  test(`a download of 6 GiB with ${client} is served beside other calls`, async () => {
    const socket = new VirtualSocket();
    const { server, errors } = serve(socket.asSocket);
    const peer = new DownloadingPeer(socket, windows, bytesPerCall);
    while (peer.bytes < downloadBytes && peer.goawayCode === undefined) await delay(5);
    server.destroy();
    await server.closed;
    assert.deepEqual([errors, peer.goawayCode], [[], undefined], `after ${peer.bytes} bytes`);
    const idleFrames = peer.updates + peer.probes;
    assert.ok(idleFrames > 2 * burst, `${idleFrames} frames without a purpose`);
    assert.ok(peer.answeredCalls >= 1900, `${peer.answeredCalls} short calls`);
  });
}

for (const [kind, open] of socketKinds) {
  test(`over ${kind}, node:http2 with its default windows downloads 300 MiB beside another call`, async () => {
    await using scope = new AsyncDisposableStack();
    const { near, far } = await open();
    const { server, errors } = serve(far);
    const session = connect('http://localhost', { createConnection: () => near });
    scope.defer(() => session.destroy());
    scope.defer(() => server.destroy());
    const goaways: number[] = [];
    session.on('goaway', (code) => goaways.push(code)).on('error', () => {});
    const call = session.request({ ':method': 'POST', ':path': '/a.B/C' });
    let bytes = 0;
    call
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
    while (bytes < 300 * 1024 ** 2 && !call.closed) await delay(5);
    assert.deepEqual([errors, goaways], [[], []], `after ${bytes} bytes`);
    const short = session.request({ ':method': 'POST', ':path': '/a.B/C', 'x-short': '1' }).resume();
    const [trailers] = (await once(short, 'trailers')) as [Record<string, string>];
    assert.equal(trailers['grpc-status'], '0');
  });
}

test('a download of 6 GiB from engine to engine is served beside other calls', async () => {
  const { near, far } = openVirtualPair();
  const { server, errors } = serve(far.asSocket);
  const client = frameEngine.connect(near.asSocket, gatewayLimits);
  await client.ready;
  let [bytes, answered] = [0, 0];
  const failures: unknown[] = [];
  const receiver = {
    answerHeaders() {},
    answerData() {},
    answerEnded: () => {
      answered += 1;
    },
    requestDrained() {},
    failed: (failure: unknown) => failures.push(failure),
  };
  const answerPart = (_memory: Buffer, start: number, end: number) => {
    const before = bytes;
    bytes += end - start;
    if (Math.floor(bytes / bytesPerCall) === Math.floor(before / bytesPerCall)) return;
    client.openCall([...requestHead, 'x-short', '1'], receiver)?.end();
  };
  client.openCall(requestHead, { ...receiver, answerPart })?.end();
  while (bytes < downloadBytes && failures.length === 0) await delay(5);
  assert.deepEqual([failures, errors], [[], []], `after ${bytes} bytes`);
  assert.ok(answered >= 1900, `${answered} short calls`);
  client.destroy();
  await Promise.all([client.closed, server.closed]);
});

test('a probe after each small message is no flood, at any rate', async () => {
  const socket = new VirtualSocket();
  let stream: InboundCall | undefined;
  const errors: string[] = [];
  const server = frameEngine.accept(socket.asSocket, gatewayLimits, {
    onCall: (call) => {
      call.respond(answerHead);
      stream = call;
    },
    onError: (reason) => errors.push(reason),
  });
  const peer = new DownloadingPeer(socket, { ...goWindows, hasProbes: true }, Number.POSITIVE_INFINITY);
  while (peer.probes < 5 * burst && errors.length === 0) {
    await nextTurn();
    stream?.write(Buffer.alloc(20));
  }
  server.destroy();
  await server.closed;
  assert.deepEqual([errors, peer.probes], [[], 5 * burst]);
});

test('a client that takes its download byte by byte is cut off', async () => {
  const socket = new VirtualSocket();
  const { server, errors } = serve(socket.asSocket);
  let goaway: number | undefined;
  socket.send = (bytes) => {
    if (bytes?.[3] === frameTypes.goaway) goaway = bytes.readUInt32BE(13);
  };
  const windowBytes = settings([settingIds.initialWindowSize, 0]);
  socket.bring(Buffer.concat([preface, windowBytes, headers(1, requestHead, endHeaders | endStream)]));
  const oneByte = frame(frameTypes.windowUpdate, 0, 1, number(1));
  for (let sent = 0; sent < 20 * burst && goaway === undefined; sent += 1) {
    socket.bring(oneByte);
    await nextTurn();
  }
  server.destroy();
  await server.closed;
  assert.deepEqual([goaway, errors], [h2ErrorCodes.enhanceYourCalm, ['too many frames without a purpose']]);
});
