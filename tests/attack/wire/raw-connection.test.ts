import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { generateCertificateAuthority } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { issueClient } from '../target/issue-certificates.ts';
import { headersOf } from './call-frames.ts';
import { frameTypes } from './frame.ts';
import { RawConnection } from './raw-connection.ts';

test('RawConnection sends valid calls, more of them than the server allows, and cancels them', async () => {
  const now = new Date();
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'test',
    notBefore: now,
  });
  const { certificate, key } = await issueClient(issuer, [], now);
  const server = createSecureServer({ cert: certificate, key, settings: { maxConcurrentStreams: 10 } });
  const paths: (string | undefined)[] = [];
  let cancelled = 0;
  server.on('stream', (stream, headers) => {
    paths.push(headers[':path']);
    stream.on('error', () => {});
    stream.on('aborted', () => {
      cancelled += 1;
    });
  });
  using _server = { [Symbol.dispose]: () => server.close() };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const signal = AbortSignal.timeout(60_000);
  {
    using open = await RawConnection.open({ host: '127.0.0.1', port }, { credentials: undefined, signal });
    const headers = headersOf({ path: '/a.Service/Method', metadata: [['long', 'x'.repeat(300)]] });
    const streams = Array.from({ length: 20 }, () => open.stream());
    await open.send(...streams.map((stream) => headers(stream)));
    await eventually(() => paths.length === 10 && open.count(frameTypes.resetStream) === 10, {
      what: 'ten calls that arrive and ten that are refused',
    });
    await open.cancel(streams.slice(0, 10));
    await eventually(() => cancelled === 10, { what: 'ten cancelled calls' });
  }

  {
    using open = await RawConnection.open({ host: '127.0.0.1', port }, { credentials: undefined, signal });
    assert.equal(await open.room(4), 4);
    const streams = Array.from({ length: await open.room(100) }, () => open.stream());
    assert.deepEqual([streams.length, await open.room(100)], [10, 0]);
    await open.send(...streams.map((stream) => headersOf({ path: '/a.Service/Method' })(stream)));
    await open.cancel(streams.slice(0, 3));
    assert.equal(await open.room(100), 3);
  }
  assert.deepEqual(new Set(paths), new Set(['/a.Service/Method']));
});
