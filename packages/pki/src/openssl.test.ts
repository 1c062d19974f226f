// Interoperability with the openssl command: it accepts what this package creates, and this package accepts
// what it creates.
import assert from 'node:assert/strict';
import { execFile, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect, createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { createCertificateRequest } from './create-certificate-request.ts';
import { generateCertificateAuthority } from './generate-certificate-authority.ts';
import { issueCertificate } from './issue-certificate.ts';
import { parseCertificate } from './parse-certificate.ts';
import { encodePrivateKey, generateKey, tlsPrivateKey } from './private-key.ts';
import { type SigningPolicy, signCertificateRequest } from './sign-certificate-request.ts';

const version = spawnSync('openssl', ['version']);
const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';
const skip =
  version.error !== undefined && !isContinuousIntegration
    ? 'there is no openssl command on this machine'
    : false;

const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
after(() => rmSync(folder, { recursive: true }));

let written = 0;
/** Writes a text to a file of its own and returns the path. */
function file(content: string): string {
  written += 1;
  const path = join(folder, `${written}.pem`);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** Runs the command; throws with its output when it fails. */
function openssl(...args: string[]): string {
  const { status, stdout, stderr }: SpawnSyncReturns<string> = spawnSync('openssl', args, {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `openssl ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}

const notBefore = new Date();
const node = {
  subject: { commonName: 'nöde', organizations: ['os:admin', 'os:reader'] },
  dnsNames: ['node01', 'node01.example'],
  ipAddresses: ['127.0.0.1', 'fd00::1'],
};
const forServers: SigningPolicy = {
  subject: 'common-name',
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 24,
};

for (const algorithm of ['ed25519', 'ecdsa-p256', 'rsa-4096'] as const) {
  test(`openssl verifies a CA, leaves and requests of ${algorithm}`, { skip }, async () => {
    const ca = await generateCertificateAuthority({ algorithm, organization: 'talos', notBefore });
    const { request, key } = await createCertificateRequest({ ...node, like: ca.certificate });
    // Two leaves from one request, because creating an RSA key takes long.
    const server = signCertificateRequest({ issuer: ca, request, policy: forServers });
    const client = signCertificateRequest({
      issuer: ca,
      request,
      policy: { ...forServers, subject: 'keep', extendedKeyUsage: ['clientAuth'] },
    });
    const [caFile, serverFile, clientFile] = [ca.certificate, server, client].map(file) as [
      string,
      string,
      string,
    ];
    for (const [purpose, path] of [
      ['sslserver', serverFile],
      ['sslclient', clientFile],
    ] as const) {
      assert.match(
        openssl('verify', '-check_ss_sig', '-CAfile', caFile, '-purpose', purpose, path),
        /: OK\n$/,
      );
    }
    assert.notEqual(
      spawnSync('openssl', ['verify', '-CAfile', caFile, '-purpose', 'sslclient', serverFile]).status,
      0,
    );
    assert.match(openssl('req', '-verify', '-noout', '-in', file(request)), /verify OK/);
    openssl('pkey', '-check', '-noout', '-in', file(tlsPrivateKey(key)));
    assert.match(openssl('verify', '-CAfile', caFile, '-verify_ip', 'fd00::1', serverFile), /: OK\n$/);
    assert.match(openssl('verify', '-CAfile', caFile, '-verify_hostname', 'node01', serverFile), /: OK\n$/);
  });
}

test('openssl reads the fields that were written into our certificates', { skip }, async () => {
  const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
  const leaf = await issueCertificate({
    issuer: ca,
    ...node,
    keyUsage: ['digitalSignature', 'keyEncipherment'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 24,
  });
  const show = (pem: string) =>
    openssl(
      'x509',
      '-noout',
      '-in',
      file(pem),
      '-subject',
      '-nameopt',
      'RFC2253,utf8,-esc_msb',
      '-text',
    ).replace(/ +/g, ' ');
  const [caText, leafText] = [show(ca.certificate), show(leaf.certificate)];
  for (const expected of [
    /Subject: O ?= ?talos\n/,
    /Signature Algorithm: ED25519/,
    /X509v3 Key Usage: critical\n Digital Signature, Certificate Sign\n/,
    /X509v3 Extended Key Usage: ?\n TLS Web Server Authentication, TLS Web Client Authentication\n/,
    /X509v3 Basic Constraints: critical\n CA:TRUE\n/,
    /X509v3 Subject Key Identifier: ?\n( ?[0-9A-F]{2}:){19}[0-9A-F]{2}\n/,
  ]) {
    assert.match(caText, expected);
  }
  for (const expected of [
    /^subject=CN=nöde,O=os:admin\+O=os:reader$|^subject=CN=nöde,O=os:reader\+O=os:admin$/m,
    /X509v3 Key Usage: critical\n Digital Signature, Key Encipherment\n/,
    /X509v3 Extended Key Usage: ?\n TLS Web Server Authentication\n/,
    /X509v3 Authority Key Identifier: ?\n/,
    /DNS:node01, DNS:node01.example, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:1\n/,
  ]) {
    assert.match(leafText, expected);
  }
  assert.doesNotMatch(leafText, /Basic Constraints|Subject Key Identifier/);
});

async function handshakeMaterial() {
  const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
  const issue = (extendedKeyUsage: 'serverAuth' | 'clientAuth') =>
    issueCertificate({
      issuer: ca,
      ...node,
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: [extendedKeyUsage],
      notBefore,
      lifetimeHours: 1,
    });
  return { ca, server: await issue('serverAuth'), client: await issue('clientAuth') };
}

test('openssl s_client and our server agree on mutual TLS 1.3 with Ed25519', { skip }, async () => {
  const { ca, server, client } = await handshakeMaterial();
  const seen: string[][] = [];
  const listener = createTlsServer(
    {
      cert: server.certificate,
      key: tlsPrivateKey(server.key),
      ca: ca.certificate,
      requestCert: true,
      minVersion: 'TLSv1.3',
    },
    (socket) => {
      const { raw } = socket.getPeerX509Certificate() ?? { raw: Buffer.alloc(0) };
      seen.push([socket.getProtocol() ?? '', ...parseCertificate(raw).subject.organizations]);
      socket.end('hello');
    },
  );
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const args = [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-verify_return_error',
    '-verify_ip',
    '127.0.0.1',
  ];
  const files = ['-CAfile', file(ca.certificate), '-cert', file(client.certificate)];
  const child = promisify(execFile)('openssl', [...args, ...files, '-key', file(tlsPrivateKey(client.key))]);
  child.child.stdin?.end();
  const { stdout } = await child;
  listener.close();
  assert.match(stdout, /Verification: OK/);
  assert.match(stdout, /(Peer signature type|signature type): (Ed25519|ed25519)/i);
  assert.deepEqual(
    seen.map(([protocol, ...organizations]) => [protocol, ...organizations.sort()]),
    [['TLSv1.3', 'os:admin', 'os:reader']],
  );
});

test('our client and openssl s_server agree on mutual TLS 1.3 with Ed25519', { skip }, async () => {
  const { ca, server, client } = await handshakeMaterial();
  // An address that no other program uses, so that the port is free.
  const [host, port] = [`127.${randomInt(150, 200)}.${randomInt(1, 255)}.${randomInt(2, 255)}`, 4433];
  const child = spawn(
    'openssl',
    [
      ...[
        's_server',
        '-accept',
        `${host}:${port}`,
        '-naccept',
        '1',
        '-tls1_3',
        '-Verify',
        '2',
        '-verify_return_error',
      ],
      ...['-CAfile', file(ca.certificate), '-cert', file(server.certificate)],
      ...['-key', file(tlsPrivateKey(server.key))],
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  const listening = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/^ACCEPT/m.test(output)) listening.resolve();
    });
  }
  const exited = once(child, 'close');
  await Promise.race([listening.promise, exited.then(() => assert.fail(output))]);
  const socket = connect({
    host,
    port,
    servername: 'node01',
    ca: ca.certificate,
    cert: client.certificate,
    key: tlsPrivateKey(client.key),
  });
  await once(socket, 'secureConnect');
  assert.deepEqual([socket.authorized, socket.getProtocol()], [true, 'TLSv1.3']);
  socket.end();
  await once(socket, 'close');
  child.kill();
  await exited;
  assert.match(output, /verify return:1/);
});

test('this package uses a CA and a request that openssl made', { skip }, async () => {
  for (const [kind, ...generation] of [
    ['ed25519', '-algorithm', 'ed25519'],
    ['ec', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    ['rsa', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  ] as const) {
    const key = openssl('genpkey', '-quiet', ...generation).replace(/^[^-]*/, '');
    const keyFile = file(key);
    const certificate = openssl(
      ...['req', '-x509', '-new', '-key', keyFile, '-subj', '/O=talos', '-days', '2'],
      ...['-addext', 'keyUsage=critical,keyCertSign,digitalSignature'],
    );
    const request = openssl(
      ...['req', '-new', '-key', keyFile, '-subj', '/C=NL/O=os:admin/CN=node09/emailAddress=a@b.example'],
      ...['-addext', 'subjectAltName=DNS:node09,IP:10.5.0.9,IP:fd00::9,email:a@b.example'],
      ...['-addext', 'extendedKeyUsage=clientAuth', '-addext', 'basicConstraints=CA:TRUE'],
    );
    const issuer = { certificate, key };
    const signed = signCertificateRequest({ issuer, request, policy: forServers });
    const { isCa, subject, dnsNames, ipAddresses, extendedKeyUsage } = parseCertificate(signed);
    assert.deepEqual(
      { isCa, subject, dnsNames, ipAddresses, extendedKeyUsage },
      {
        isCa: false,
        subject: { commonName: 'node09', organizations: [] },
        dnsNames: ['node09'],
        ipAddresses: ['10.5.0.9', 'fd00::9'],
        extendedKeyUsage: ['serverAuth'],
      },
      kind,
    );
    const caFile = file(certificate);
    assert.match(openssl('verify', '-purpose', 'sslserver', '-CAfile', caFile, file(signed)), /: OK\n$/);
    // Nothing else of the subject is there.
    assert.match(openssl('x509', '-noout', '-subject', '-in', file(signed)), /^subject= ?CN ?= ?node09\n$/);
  }
});

test('openssl reads our keys after they get a label that it knows', { skip }, async () => {
  for (const algorithm of ['ed25519', 'ecdsa-p256'] as const) {
    const pem = encodePrivateKey((await generateKey(algorithm)).privateKey);
    assert.match(openssl('pkey', '-noout', '-check', '-in', file(tlsPrivateKey(pem))), /Key is valid/);
  }
});
