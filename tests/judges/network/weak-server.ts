// What judges of TLS must refuse: a server with TLS 1.2 and an old cipher, and an authority that only a strict reader refuses.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import type { Bench } from '../bench.ts';
import type { IssuedCertificate, Listener } from './node-under-test.ts';

interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** An authority whose basic constraints are not critical, and that says nothing about its key. Source: RFC 5280, 4.2.1. */
function laxAuthority(bench: Bench): KeyAndCertificate {
  const folder = bench.newPath('lax');
  mkdirSync(folder);
  const settings = join(folder, 'request.cnf');
  const lines = ['[req]', 'distinguished_name=dn', 'prompt=no', 'x509_extensions=ext', '[dn]', 'O=lax'];
  writeFileSync(settings, [...lines, '[ext]', 'basicConstraints=CA:TRUE', ''].join('\n'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-config', settings];
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
}

/** The authority, and a certificate that it has signed: openssl is strict only about authorities that have signed something. */
export function laxCertificates(bench: Bench): IssuedCertificate[] {
  const folder = bench.newPath('issued');
  mkdirSync(folder);
  const { key, certificate: authority } = laxAuthority(bench);
  const [keyFile, authorityFile] = [join(folder, 'authority-key.pem'), join(folder, 'authority.pem')];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(authorityFile, authority);
  const request = [
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=leaf',
    '-keyout',
    join(folder, 'key.pem'),
  ];
  const sign = ['x509', '-req', '-days', '1', '-CA', authorityFile, '-CAkey', keyFile, '-CAcreateserial'];
  const certificate = execFileSync('openssl', sign, {
    ...{ input: execFileSync('openssl', request, { stdio: 'pipe' }), stdio: 'pipe', encoding: 'utf8' },
  });
  return [
    { name: 'leaf', certificate, authority },
    { name: 'authority lax', certificate: authority, authority },
  ];
}

/** Listens on loopback until the end. */
export function weakListeners(bench: Bench): Promise<Listener[]> {
  return bench.once('weak server', async (scope) => {
    const { key, certificate } = laxAuthority(bench);
    const server = createServer({
      ...{ key, cert: certificate, ciphers: 'AES128-SHA:@SECLEVEL=0' },
      ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
    });
    server.on('tlsClientError', () => {});
    server.on('secureConnection', (socket) => socket.on('error', () => {}).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scope.defer(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return [{ name: 'weak', address: '127.0.0.1', port }];
  });
}
