import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
  const ring = new SpanRing(all.keptBytes);
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
  ];
  assert.deepEqual(statuses, [404, 404, 404, 405, 415, 415, 413]);
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
  assert.equal(await rig.send('x'), 200);
  assert.deepEqual(await texts(rig.folder), ['1 node01 x']);
  await Promise.all(closed);
});

test('only the owner may open the socket, and a folder without one says so', async () => {
  await using rig = await openRig();
  assert.equal(statSync(join(rig.folder, 'spans.sock')).mode & 0o777, 0o600);
  await assert.rejects(readSpans(tmpdir(), 0, signal), { kind: 'not-found' });
});
