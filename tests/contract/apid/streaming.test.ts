import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { type BackendCall, echo } from './harness/backend.ts';
import { framed } from './harness/messages.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start({ machined: echo }));
const admin = await apid.client();
const peer = await apid.peer('node02', echo);

const copy = '/machine.MachineService/Copy';
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Resident memory of apid in MB. */
function residentMb(): number {
  const status = readFileSync(`/proc/${apid.process.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}

test('400 calls with bodies of 0 to 2 MB both ways, 60 at a time, come back complete', async () => {
  const source = randomBytes(2_000_000);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < 400; index = next++) {
      const size = index % 8 === 0 ? (index * 104_729) % 2_000_000 : (index * 977) % 30_000;
      const body = framed(source.subarray(0, size));
      const target = index % 4 === 0 ? ([['node', 'node02']] as const) : [];
      const { code, body: answer } = await admin.call(copy, {
        metadata: [['x-call', `${index}-${sha(Buffer.from(String(index))).repeat(12)}`], ...target],
        body,
      });
      assert.deepEqual({ index, code, sha: sha(answer) }, { index, code: 0, sha: sha(body) });
    }
  };
  await Promise.all(Array.from({ length: 60 }, worker));
  assert.equal(apid.machined.calls.length + peer.backend.calls.length, 400);
});

/** Writes messages of 32 KiB as fast as flow control allows, and counts them. */
function pour(call: BackendCall, totalBytes: number, count: { written: number }): void {
  const message = framed(Buffer.alloc(32_768, 1));
  const more = () => {
    while (count.written < totalBytes) {
      count.written += message.length;
      if (!call.stream.write(message)) {
        call.stream.once('drain', more);
        return;
      }
    }
    call.finish();
  };
  call.stream.resume();
  call.respond();
  more();
}

for (const target of ['machined', 'node02']) {
  test(`memory stays flat while 64 MB go from ${target} to a slow client`, async () => {
    const total = 64_000_000;
    const count = { written: 0 };
    const backend = target === 'machined' ? apid.machined : peer.backend;
    const behave = backend.behave;
    backend.behave = (each) => pour(each, total, count);
    const metadata = target === 'machined' ? [] : ([['node', target]] as const);
    const call = admin.open('/machine.MachineService/Logs', { metadata });
    let received = 0;
    let ahead = 0;
    let highest = 0;
    // Count the bytes without keeping them.
    call.stream.removeAllListeners('data');
    call.stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await call.headers;
    // Read slowly for a second, then at full speed.
    for (let turn = 0; turn < 20; turn += 1) {
      call.stream.pause();
      await delay(50);
      ahead = Math.max(ahead, count.written - received);
      highest = Math.max(highest, residentMb());
      call.stream.resume();
      await delay(1);
    }
    const { code } = await call.result;
    backend.behave = behave;
    highest = Math.max(highest, residentMb());
    assert.equal(code, 0);
    assert.ok(received >= total, `${received} bytes arrived`);
    assert.ok(ahead < 24_000_000, `the backend was ${ahead} bytes ahead of the client`);
    assert.ok(highest < 250, `apid used ${highest} MB`);
  });
}

test('an upload of 64 MB to a slow machined slows the client down and arrives completely', async () => {
  const count = { read: 0, written: 0 };
  const done = Promise.withResolvers<void>();
  apid.machined.behave = (call) => {
    call.stream.on('data', (chunk: Buffer) => {
      count.read += chunk.length;
      if (count.read > 3_000_000) return;
      call.stream.pause();
      setTimeout(() => call.stream.resume(), 3);
    });
    call.stream.on('end', () => {
      call.respond();
      call.finish();
      done.resolve();
    });
  };
  const call = admin.open(copy, { open: true });
  const message = framed(Buffer.alloc(32_768, 2));
  let ahead = 0;
  while (count.written < 64_000_000) {
    count.written += message.length;
    if (!call.stream.write(message)) await new Promise((resolve) => call.stream.once('drain', resolve));
    ahead = Math.max(ahead, count.written - count.read);
  }
  call.stream.end();
  await done.promise;
  assert.deepEqual([(await call.result).code, count.read], [0, count.written]);
  assert.ok(ahead < 24_000_000, `the client was ${ahead} bytes ahead of machined`);
  apid.machined.behave = echo;
});

test('a cancel by the client reaches the backend, through one hop and through two', async () => {
  for (const [backend, metadata] of [
    [apid.machined, []],
    [peer.backend, [['node', 'node02']]],
  ] as const) {
    const closed = Promise.withResolvers<number>();
    backend.behave = ({ stream, respond }) => {
      stream.on('close', () => closed.resolve(stream.rstCode));
      respond();
    };
    const call = admin.open(copy, { metadata, open: true });
    await call.headers;
    call.stream.close(8);
    assert.equal(await closed.promise, 8);
    backend.behave = echo;
  }
});

test('the calls of a client that disappears are cancelled', async () => {
  const closed = Promise.withResolvers<number>();
  apid.machined.behave = ({ stream, respond }) => {
    stream.on('close', () => closed.resolve(stream.rstCode));
    respond();
  };
  const client = await apid.client();
  const call = client.open(copy, { open: true });
  await call.headers;
  client.socket.destroy();
  assert.equal(await closed.promise, 8);
  apid.machined.behave = echo;
});

test('an answer that ends before the request reaches the client completely', async () => {
  apid.machined.behave = (call) => {
    call.respond();
    call.stream.write(framed(Buffer.from('enough')));
    call.finish({ 'grpc-status': '11', 'grpc-message': 'enough' });
  };
  for (let round = 0; round < 20; round += 1) {
    const call = admin.open(copy, { open: true });
    call.stream.write(framed(Buffer.alloc(200_000)));
    const { code, body } = await call.result;
    assert.deepEqual([code, body], [11, framed(Buffer.from('enough'))]);
  }
  apid.machined.behave = echo;
});

test('a request without a body ends with its headers, also at the backend', async () => {
  const bodies: Buffer[] = [];
  apid.machined.behave = async (call) => {
    bodies.push(await call.body());
    call.respond();
    call.finish();
  };
  const { code } = await admin.call(copy, { body: Buffer.alloc(0) });
  const stream = admin.session.request(
    { ':method': 'POST', ':path': copy, te: 'trailers', 'content-type': 'application/grpc' },
    { endStream: true },
  );
  const [trailers] = await once(stream.resume(), 'trailers');
  assert.deepEqual([code, trailers['grpc-status'], bodies], [0, '0', [Buffer.alloc(0), Buffer.alloc(0)]]);
  apid.machined.behave = echo;
});
