import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { groupsAccepted, tlsGroups } from '@nodewright/testkit';
import { createCa, dialTrustd, requestCertificate, startTrustd, statusOf } from './harness.ts';

const trustd = await startTrustd();
const { ca } = trustd;
const port = await trustd.port();
after(() => trustd[Symbol.asyncDispose]());

async function dial(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'node01',
    ca: ca.certificate,
    ALPNProtocols: ['h2'],
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

test('trustd speaks TLS 1.3 with h2 and requests no client certificate', async () => {
  const socket = await dial();
  assert.deepEqual([socket.getProtocol(), socket.alpnProtocol, socket.authorized], ['TLSv1.3', 'h2', true]);
  // The server sends its first frame, so the client's handshake was complete.
  await once(socket, 'data');
  socket.destroy();
});

test('trustd refuses TLS 1.2 and clients that offer another protocol', async () => {
  await assert.rejects(dial({ maxVersion: 'TLSv1.2' }), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  await assert.rejects(dial({ ALPNProtocols: ['http/1.1'] }), { code: /ALERT_NO_APPLICATION_PROTOCOL/ });
});

test('trustd accepts the key exchanges X25519MLKEM768, X25519, P-256 and P-384, and no other', async () => {
  assert.deepEqual(await groupsAccepted({ host: '127.0.0.1', port }), tlsGroups.accepted);
});

test('trustd resumes no session', async () => {
  const sessions: Buffer[] = [];
  const first = await dial();
  first.on('session', (session) => sessions.push(session));
  await once(first, 'data');
  const second = await dial({ session: sessions.at(-1) });
  assert.equal(second.isSessionReused(), false);
  for (const socket of [first, second]) socket.destroy();
});

test('a client that trusts another CA cannot connect', async () => {
  using channel = dialTrustd(port, (await createCa()).certificate);
  const [code] = await statusOf(requestCertificate(channel, 'hello'));
  assert.equal(code, 14);
});
