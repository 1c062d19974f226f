import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createCertificateRequest } from '@nodewright/pki';
import { eventually, isServing, spawnDaemon } from '@nodewright/testkit';
import { dialTrustd, requestCertificate, startTrustd, statusOf } from './harness.ts';

test('trustd waits for its root of trust, and its health reports when it serves', async () => {
  await using trustd = await startTrustd({ withoutRuntime: true });
  await trustd.logged('no root of trust');
  assert.equal(await isServing(trustd.healthSocket), false);
  await trustd.writeRuntime();
  const port = await trustd.port();
  await eventually(() => isServing(trustd.healthSocket), { what: 'trustd serving' });
  using channel = dialTrustd(port, trustd.ca.certificate);
  const [code] = await statusOf(requestCertificate(channel, 'hello'));
  assert.equal(code, 3);
});

test('trustd exits with 0 on SIGTERM, at once, with idle connections and while waiting', async () => {
  await using busy = await startTrustd();
  using channel = dialTrustd(await busy.port(), busy.ca.certificate);
  await statusOf(requestCertificate(channel, 'hello'));
  await using waiting = await startTrustd({ withoutRuntime: true });
  await waiting.logged('no root of trust');
  for (const { process } of [busy, waiting]) {
    process.signal('SIGTERM');
    // A daemon that had to be cut off would exit with 1.
    assert.deepEqual(await process.exited, { code: 0, signal: null });
  }
});

test('trustd answers the calls in flight after SIGTERM', async () => {
  await using trustd = await startTrustd();
  using channel = dialTrustd(await trustd.port(), trustd.ca.certificate);
  const { request } = await createCertificateRequest({
    subject: { commonName: 'node04' },
    like: trustd.ca.certificate,
  });
  await requestCertificate(channel, request);
  const calls = Array.from({ length: 50 }, () => statusOf(requestCertificate(channel, request)));
  await trustd.logged('request finished', 2);
  trustd.process.signal('SIGTERM');
  const outcomes = await Promise.all(calls);
  // A call that had not reached the connection when it closed may be refused; none may fail in another way.
  assert.deepEqual(
    outcomes.filter(([code]) => code !== 0 && code !== 14),
    [],
  );
  assert.equal((await trustd.process.exited).code, 0);
});

test('trustd exits with one line and a non-zero code when its address is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  try {
    await using trustd = await startTrustd({ listenAddress: `127.0.0.1:${port}` });
    assert.equal((await trustd.process.exited).code, 1);
    const line = await trustd.logged('daemon crashed');
    assert.match(String(line.error), new RegExp(`EADDRINUSE.* 127\\.0\\.0\\.1:${port}\\b`));
  } finally {
    taken.close();
  }
});

test('trustd rejects an unknown flag', async () => {
  await using process = await spawnDaemon({ name: 'trustd', args: ['--token', 'abc'] });
  assert.equal((await process.exited).code, 2);
  assert.match(process.stderr(), /^trustd: .*--token/);
});
