import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { type OpenSockets, openSocketPair } from '../../conformance/index.ts';
import { connectUnix } from '../../connect-unix.ts';

/** The kinds of sockets that connections have. They differ in when a write is complete, and in how they read. */
export const socketKinds: readonly (readonly [kind: string, open: OpenSockets])[] = [
  ['a plain socket', openSocketPair],
  ['a unix socket', openUnixPair],
  ['TLS', openTlsPair],
];

const notBefore = new Date(Date.now() - 3_600_000);
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'test', notBefore });
const issued = await issueCertificate({
  ...{ issuer: ca, subject: { commonName: 'gateway' }, dnsNames: ['gateway'], ipAddresses: ['127.0.0.1'] },
  ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['serverAuth'], notBefore, lifetimeHours: 24 },
});
const credentials = { cert: issued.certificate, key: tlsPrivateKey(issued.key) };

/** The sockets that a TLS listener and its client have. */
export async function openTlsPair(): Promise<{ near: Socket; far: Socket }> {
  const listener = createTlsServer(credentials).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  const near = connectTls({ host: '127.0.0.1', port, ca: ca.certificate });
  const [[far]] = await Promise.all([once(listener, 'secureConnection'), once(near, 'secureConnect')]);
  listener.close();
  return { near, far };
}

/** The sockets that a daemon and its gateway have. */
export async function openUnixPair(): Promise<{ near: Socket; far: Socket }> {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'));
  try {
    const listener = createServer().listen(join(folder, 'socket'));
    await once(listener, 'listening');
    const near = connectUnix(join(folder, 'socket'));
    const [[far]] = await Promise.all([once(listener, 'connection'), once(near, 'connect')]);
    listener.close();
    return { near, far };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
