import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { readSpans } from './read-spans.ts';
import { type SpanLimits, spanLimits } from './span-limits.ts';
import { receiveSpans } from './span-receiver.ts';
import { SpanRing } from './span-ring.ts';
import { serveSpans } from './span-socket.ts';

const { signal } = new AbortController();

async function openRig(limits: Partial<SpanLimits> = {}) {
  const all = { ...spanLimits, ...limits };
  const scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'spans-'));
  scope.defer(() => rmSync(folder, { recursive: true }));
  const ring = new SpanRing(all);
  const { port } = scope.use(await receiveSpans(ring, { host: '127.0.0.1', port: 0 }, all));
  scope.use(await serveSpans(ring, join(folder, 'spans.sock'), all));
  const send = (body: string, change: { method?: string; path?: string; headers?: object } = {}) => {
    const { method = 'POST', path = '/node01/v1/traces', headers } = change;
    const type = { 'content-type': 'application/x-protobuf', ...headers };
    return new Promise<number>((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port, method, path, headers: type, agent: false },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  };
  return { folder, ring, port, send, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

const texts = async (folder: string, after = 0) =>
  (await readSpans(folder, after, signal)).map(({ serial, node, bytes }) => `${serial} ${node} ${bytes}`);

test('what nodes send is given out in order, and only once to a reader that names the last one it has', async () => {
  await using rig = await openRig();
  assert.deepEqual(await texts(rig.folder), []);
  for (const body of ['first', 'second', 'third']) assert.equal(await rig.send(body), 200);
  assert.deepEqual(await texts(rig.folder), ['1 node01 first', '2 node01 second', '3 node01 third']);
  assert.deepEqual(await texts(rig.folder, 2), ['3 node01 third']);
  assert.deepEqual(await texts(rig.folder, 3), []);
});

test('the oldest spans go when more arrive than are kept', async () => {
  await using rig = await openRig({ keptBytes: 25 });
  for (let count = 0; count < 100; count += 1) rig.ring.add('node01', Buffer.from('0123456789'));
  assert.deepEqual([rig.ring.bytes, (await texts(rig.folder)).length], [20, 2]);
});

test('small requests cannot fill the memory: the oldest go when there are too many', async () => {
  await using rig = await openRig({ keptRequests: 10 });
  for (let count = 0; count < 10_000; count += 1) rig.ring.add('node01', Buffer.from('x'));
  assert.deepEqual(
    (await texts(rig.folder)).map((text) => text.split(' ')[0]),
    [...['9991', '9992', '9993', '9994', '9995', '9996', '9997', '9998', '9999', '10000']],
  );
});

test('requests that arrive at the same time have one limit together, and are served again below it', async () => {
  await using rig = await openRig({ requestBytes: 1000, arrivingBytes: 1500 });
  const head =
    'POST /node01/v1/traces HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-protobuf\r\ncontent-length: 900\r\n\r\n';
  const open = async (bytes: number) => {
    const socket = connect(rig.port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    await new Promise<void>((resolve) => socket.write(head + 'x'.repeat(bytes), () => resolve()));
    return { socket, answer: () => answer };
  };
  const first = await open(800);
  // The server counts what it has read.
  await eventually(async () => (await rig.send('y'.repeat(900))) === 503, { what: 'refusal' });
  first.socket.write('x'.repeat(100));
  await eventually(() => first.answer().startsWith('HTTP/1.1 200'), { what: 'answer to the first request' });
  assert.equal(await rig.send('y'.repeat(900)), 200);
  first.socket.destroy();
  // A sender that goes away in the middle does not keep its part.
  const gone = await open(800);
  await eventually(async () => (await rig.send('y'.repeat(900))) === 503, { what: 'refusal' });
  gone.socket.destroy();
  await eventually(async () => (await rig.send('y'.repeat(900))) === 200, {
    what: 'room after the loss of a sender',
  });
});

test('connections and readers beyond their limits are closed, and others are not', async () => {
  await using rig = await openRig({ connections: 2, readers: 2 });
  for (const where of [{ port: rig.port, host: '127.0.0.1' }, { path: join(rig.folder, 'spans.sock') }]) {
    const sockets = [];
    for (let count = 0; count < 2; count += 1) {
      const socket = connect(where as never).on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
      sockets.push(socket);
    }
    const third = connect(where as never)
      .on('error', () => {})
      .resume();
    await new Promise((resolve) => third.once('close', resolve));
    assert.deepEqual(
      sockets.map(({ closed }) => closed),
      [false, false],
    );
    for (const socket of sockets) socket.destroy();
  }
  // Their places are free again.
  await eventually(async () => (await rig.send('x')) === 200, { what: 'place for a sender' });
  await eventually(async () => (await texts(rig.folder)).length === 1, { what: 'place for a reader' });
});

test('a reader that does not read is closed, and others get everything meanwhile', async () => {
  await using rig = await openRig({ readerMs: 1000 });
  for (let count = 0; count < 3; count += 1) rig.ring.add('node01', Buffer.alloc(1024 * 1024, 'x'));
  const slow = connect(join(rig.folder, 'spans.sock')).on('error', () => {});
  slow.write('0\n');
  const closed = new Promise<void>((resolve) => slow.once('close', () => resolve()));
  await eventually(async () => (await readSpans(rig.folder, 0, signal)).length === 3, { what: 'all spans' });
  // What the kernel had taken already arrives, and nothing more.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  let bytes = 0;
  slow.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await closed;
  assert.ok(bytes < 3 * 1024 * 1024, `${bytes} bytes`);
});

test('no text that is sent as a request for spans disturbs the socket', async () => {
  await using rig = await openRig({ readerMs: 300 });
  rig.ring.add('node01', Buffer.from('x'));
  for (const text of [
    '\n',
    '-1\n',
    'NaN\n',
    '9'.repeat(19),
    '1e9\n',
    '\u0000\n',
    '__proto__\n',
    '0x7\n',
    ' 0\n',
  ]) {
    const socket = connect(join(rig.folder, 'spans.sock'))
      .on('error', () => {})
      .resume();
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
  }
  // A reader that is slower than the limit is closed, too.
  await eventually(async () => (await texts(rig.folder)).join() === '1 node01 x', { what: 'all spans' });
});

test('requests that no node makes are refused, and nothing of them is kept', async () => {
  await using rig = await openRig({ requestBytes: 1000 });
  const statuses = [
    await rig.send('x', { path: '/v1/traces' }),
    await rig.send('x', { path: '/../v1/traces' }),
    await rig.send('x', { path: `/${'n'.repeat(300)}/v1/traces` }),
    await rig.send('', { method: 'GET' }),
    // What a page of another site can send without asking.
    await rig.send('x', { headers: { 'content-type': 'text/plain' } }),
    await rig.send('x', { headers: { 'content-encoding': 'gzip' } }),
    await rig.send('x'.repeat(2000)),
    await rig.send('x', { headers: { long: 'x'.repeat(spanLimits.headBytes) } }),
  ];
  assert.deepEqual(statuses, [404, 404, 404, 405, 415, 415, 413, 431]);
  assert.deepEqual(await texts(rig.folder), []);
  assert.equal(await rig.send('x'), 200);
});

test('a slow request and an idle reader are closed, and others are served meanwhile', async () => {
  await using rig = await openRig({ headMs: 200, requestMs: 400, readerMs: 300 });
  const sender = connect(rig.port, '127.0.0.1');
  sender.write('POST /node01/v1/traces HTTP/1.1\r\n');
  const reader = connect(join(rig.folder, 'spans.sock'));
  const babbler = connect(join(rig.folder, 'spans.sock'));
  babbler.write('1'.repeat(1000));
  const closed = [sender, reader, babbler].map(
    (socket) =>
      new Promise((resolve) =>
        socket
          .on('error', () => {})
          .resume()
          .once('close', resolve),
      ),
  );
  await eventually(async () => (await rig.send('x')) === 200, { what: 'answer to a sender' });
  await eventually(async () => (await texts(rig.folder))[0] === '1 node01 x', { what: 'spans for a reader' });
  await Promise.all(closed);
});

test('only the owner may open the socket, and a folder without one says so', async () => {
  await using rig = await openRig();
  assert.equal(statSync(join(rig.folder, 'spans.sock')).mode & 0o777, 0o600);
  await assert.rejects(readSpans(tmpdir(), 0, signal), { kind: 'not-found' });
});
