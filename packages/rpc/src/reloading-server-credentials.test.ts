import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { HealthDefinition } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { Fault } from '@nodewright/fault';
import {
  type CertificateAndKey,
  generateCertificateAuthority,
  issueCertificate,
  parseCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { groupsAccepted, tlsGroups } from '@nodewright/testkit';
import { createChannel } from 'nice-grpc';
import { ReloadingServerCredentials, type ServerIdentity } from './reloading-server-credentials.ts';
import { createRpcClient } from './rpc-client.ts';
import { createRpcServer } from './rpc-server.ts';

const notBefore = new Date();
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });

async function identityOf(commonName: string): Promise<ServerIdentity> {
  const issued: CertificateAndKey = await issueCertificate({
    issuer: ca,
    subject: { commonName },
    dnsNames: ['localhost'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 1,
  });
  return { certificate: issued.certificate, key: tlsPrivateKey(issued.key) };
}

const [first, second] = await Promise.all([identityOf('first'), identityOf('second')]);

async function startServer() {
  const serverCredentials = new ReloadingServerCredentials({ ...first, minVersion: 'TLSv1.3' });
  const server = createRpcServer({
    services: [],
    telemetry: noTelemetry,
    log: createLogger({ name: 'unit', telemetry: noTelemetry, level: 'silent' }),
  });
  const port = await server.listenTls('127.0.0.1:0', serverCredentials);
  return { server, serverCredentials, port };
}

async function dial(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    ca: ca.certificate,
    ALPNProtocols: ['h2'],
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

const commonNameSeenBy = (socket: TLSSocket) =>
  parseCertificate(socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0)).subject.commonName;

test('ReloadingServerCredentials uses the new certificate for new handshakes and keeps old connections', async () => {
  const { server, serverCredentials, port } = await startServer();
  await using _ = server;
  const channel = createChannel(
    `localhost:${port}`,
    credentials.createSsl(Buffer.from(ca.certificate), null, null, {}),
  );
  const client = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  await client.check({});
  const old = await dial(port);

  serverCredentials.reload(second);
  const fresh = await dial(port);
  await client.check({});

  assert.deepEqual(
    [commonNameSeenBy(old), commonNameSeenBy(fresh), old.destroyed],
    ['first', 'second', false],
  );
  for (const socket of [old, fresh]) socket.destroy();
  channel.close();
});

test('ReloadingServerCredentials keeps the former pair when the new certificate and key do not match', async () => {
  const { server, serverCredentials, port } = await startServer();
  await using _ = server;
  const mixed = { certificate: second.certificate, key: first.key };
  for (const broken of [mixed, { certificate: 'nonsense', key: first.key }, { ...second, key: '' }]) {
    assert.throws(
      () => serverCredentials.reload(broken),
      (error) => error instanceof Fault && error.kind === 'invalid-argument',
    );
  }
  const socket = await dial(port);
  assert.equal(commonNameSeenBy(socket), 'first');
  socket.destroy();
});

test('ReloadingServerCredentials requests no client certificate, negotiates h2 and resumes no session', async () => {
  const { server, serverCredentials, port } = await startServer();
  await using _ = server;
  serverCredentials.reload(second);
  const sessions: Buffer[] = [];
  const socket = await dial(port, { rejectUnauthorized: true });
  socket.on('session', (session) => sessions.push(session));
  // Wait for the server's SETTINGS frame, which follows the handshake.
  await once(socket, 'data');
  const again = await dial(port, { session: sessions.at(-1) });
  assert.deepEqual(
    [socket.alpnProtocol, socket.getProtocol(), again.isSessionReused(), commonNameSeenBy(again)],
    ['h2', 'TLSv1.3', false, 'second'],
  );
  for (const each of [socket, again]) each.destroy();
});

test('ReloadingServerCredentials rejects TLS 1.2, also after a reload', async () => {
  const { server, serverCredentials, port } = await startServer();
  await using _ = server;
  for (const round of ['start', 'reloaded']) {
    await assert.rejects(
      dial(port, { maxVersion: 'TLSv1.2' }),
      { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' },
      round,
    );
    serverCredentials.reload(second);
  }
});

test('ReloadingServerCredentials accepts four key exchanges and no other, also after a reload', async () => {
  const { server, serverCredentials, port } = await startServer();
  await using _ = server;
  for (const round of ['start', 'reloaded']) {
    const accepted = await groupsAccepted({ host: '127.0.0.1', port, servername: 'localhost' });
    assert.deepEqual(accepted, tlsGroups.accepted, round);
    serverCredentials.reload(second);
  }
});
