import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Secret } from '@nodewright/fault';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { openSubject } from '../subject/open-subject.ts';
import type { Subject } from '../subject/subject.ts';
import { frameMessage } from '../wire/message-frames.ts';

/**
 * A server that speaks the protocol and does nothing: every caller gets OK with one empty message. A check
 * that it passes proves nothing.
 */
export async function openIdleSubject(): Promise<Subject & AsyncDisposable> {
  const notBefore = new Date();
  const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
  const issue = (extendedKeyUsage: 'serverAuth' | 'clientAuth') =>
    issueCertificate({
      issuer: ca,
      subject: { organizations: ['os:admin'] },
      ipAddresses: ['127.0.0.1'],
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: [extendedKeyUsage],
      notBefore,
      lifetimeHours: 1,
    });
  const [server, client] = [await issue('serverAuth'), await issue('clientAuth')];
  const idle = createSecureServer({
    cert: server.certificate,
    key: tlsPrivateKey(server.key),
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
    settings: { initialWindowSize: 2 ** 26 },
  });
  answerNothing(idle);
  idle.listen(0, '127.0.0.1');
  await once(idle, 'listening');
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const subject = await openSubject({
    context: {
      endpoints: [`127.0.0.1:${(idle.address() as AddressInfo).port}`],
      nodes: [],
      ca: base64(ca.certificate),
      crt: base64(client.certificate),
      key: new Secret(base64(client.key)),
    },
    otherNode: '127.0.0.2',
    worker: '127.0.0.3',
    ca,
  });
  return Object.assign(subject, {
    async [Symbol.asyncDispose]() {
      subject[Symbol.dispose]();
      idle.close();
    },
  });
}

function answerNothing(server: Http2SecureServer): void {
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.resume();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.once('end', () => stream.end(frameMessage(new Uint8Array())));
  });
}
