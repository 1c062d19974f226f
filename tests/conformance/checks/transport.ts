import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { checksOf } from '../check.ts';
import { clockDifferenceMs } from '../subject/open-subject.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { WireConnection, type WireIdentity } from '../wire/wire-connection.ts';
import { only } from './expect.ts';

/** Whether a client with this certificate, or without one, gets an answer. */
async function isLetIn({ endpoint }: Subject, identity: WireIdentity): Promise<boolean> {
  try {
    using connection = await WireConnection.open(endpoint, identity);
    const call = connection.call(machine.version.path);
    call.send(new Uint8Array());
    call.end();
    for await (const _ of call.messages()) return true;
    return (await call.status()).code === 0;
  } catch {
    return false;
  }
}

async function strangersIdentity({ identity }: Subject): Promise<WireIdentity> {
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(Date.now() - clockDifferenceMs),
  });
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { organizations: ['os:admin'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(Date.now() - clockDifferenceMs),
    lifetimeHours: 1,
  });
  return { ca: identity.ca, certificate, key };
}

function split(endpoint: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(endpoint) ?? [];
  return { host, port: Number(port) };
}

/** A server that admits no client without a certificate closes the connection earlier. */
const refusalTimeoutMs = 5000;

export const transportChecks = checksOf('transport', {
  'transport.h2': [
    'TLS negotiates h2, and the server certificate is valid for the dialled address',
    async (subject) => {
      using api = await subject.connect();
      assert.equal(api.connection.applicationProtocol, 'h2');
      only(await api.unary(machine.version, {}));
    },
  ],
  'transport.stranger': [
    'a client with a certificate of another CA gets no answer',
    async (subject) => assert.equal(await isLetIn(subject, await strangersIdentity(subject)), false),
  ],
  'transport.server-usage': [
    'a certificate that is also valid for servers gets no answer; one for clients only does',
    async (subject) => {
      const both = await subject.issue(['os:admin'], ['clientAuth', 'serverAuth']);
      const client = await subject.issue(['os:admin'], ['clientAuth']);
      assert.deepEqual([await isLetIn(subject, both), await isLetIn(subject, client)], [false, true]);
    },
  ],
  'transport.no-certificate': [
    'a client without a certificate gets no connection',
    async ({ endpoint, identity }) => {
      const socket = connect({ ...split(endpoint), ca: identity.ca, ALPNProtocols: ['h2'] });
      socket.on('error', () => {});
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00');
      // The server may send a reason before it closes the connection.
      socket.resume();
      const outcome = await new Promise((resolve) => {
        socket.setTimeout(refusalTimeoutMs, () => resolve('open'));
        socket.once('close', () => resolve('closed'));
      });
      socket.destroy();
      assert.equal(outcome, 'closed', 'the server did not close the connection');
    },
  ],
  'transport.old-tls': [
    'TLS 1.1 is rejected',
    async ({ endpoint, identity }) => {
      const socket = connect({
        ...split(endpoint),
        ca: identity.ca,
        cert: identity.certificate,
        key: tlsPrivateKey(identity.key),
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      });
      const outcome = await new Promise((resolve) => {
        socket.once('secureConnect', () => resolve('connected'));
        socket.once('error', () => resolve('refused'));
      });
      socket.destroy();
      assert.equal(outcome, 'refused');
    },
  ],
});
