import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { resetBeforeAccept } from '@nodewright/h2/conformance';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { ReloadingServerCredentials } from './reloading-server-credentials.ts';
import { createRpcServer } from './rpc-server.ts';
import { localTransportLimits } from './transport-limits.ts';

const notBefore = new Date(Date.now() - 3_600_000);
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'test', notBefore });
const issued = await issueCertificate({
  ...{
    issuer: ca,
    subject: { commonName: 'localhost' },
    dnsNames: ['localhost'],
    notBefore,
    lifetimeHours: 24,
  },
  ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['serverAuth'] },
});
const identity = { certificate: issued.certificate, key: tlsPrivateKey(issued.key) };

test('an rpc server limits handshakes after connections that were reset before it accepted them', async () => {
  await using scope = new AsyncDisposableStack();
  const server = createRpcServer({
    services: [],
    telemetry: noTelemetry,
    log: createLogger({ name: 'unit', telemetry: noTelemetry, level: 'silent' }),
    drainTimeoutMs: 100,
    transportLimits: { ...localTransportLimits, handshakesInFlight: 3 },
  });
  scope.use(server);
  const credentials = new ReloadingServerCredentials({ ...identity, minVersion: 'TLSv1.3' });
  const port = await server.listenTls('127.0.0.1:0', credentials);
  const dial = async () => {
    const options = { host: '127.0.0.1', port, servername: 'localhost', ca: ca.certificate };
    const socket = connectTls({ ...options, ALPNProtocols: ['h2'] });
    scope.defer(() => void socket.destroy());
    await once(socket, 'secureConnect');
  };
  resetBeforeAccept(port, 40);
  // Connections are accepted in order: those before it have been counted.
  await dial();
  let closed = 0;
  for (let opened = 0; opened < 10; opened += 1) {
    const socket = connect(port, '127.0.0.1');
    scope.defer(() => void socket.destroy());
    socket.resume().on('error', () => {});
    socket.on('close', () => {
      closed += 1;
    });
    await once(socket, 'connect');
  }
  await dial();
  for (const endMs = performance.now() + 10_000; closed < 7 && performance.now() < endMs; ) await delay(5);
  assert.ok(closed >= 7, `${closed} of 10 lost their place`);
});
