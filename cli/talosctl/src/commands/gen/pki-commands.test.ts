import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseCertificate, parseCertificateRequest } from '@nodewright/pki';
import { GenLab } from '../../testing/gen-lab.ts';

const run = promisify(execFile);
const hoursOf = ({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }) =>
  (notAfter.getTime() - notBefore.getTime()) / 3_600_000;

test('gen ca writes certificate, key and hash, readable by the owner only', async () => {
  await using lab = await GenLab.open();
  const { exitCode, stderr } = await lab.run(['ca', '--organization', 'acme']);
  assert.deepEqual([exitCode, stderr], [0, 'Created acme.crt\nCreated acme.sha256\nCreated acme.key\n']);
  assert.deepEqual(await lab.files(), { 'acme.crt': '600', 'acme.key': '600', 'acme.sha256': '600' });
  const certificate = parseCertificate(await lab.read('acme.crt'));
  assert.deepEqual(
    [certificate.subject.organizations, certificate.isCa, hoursOf(certificate)],
    [['acme'], true, 87_600],
  );
  const hash = Buffer.from(certificate.publicKeyFingerprint, 'base64').toString('hex');
  assert.equal(await lab.read('acme.sha256'), `sha256:${hash}`);
  assert.match(await lab.read('acme.key'), /^-----BEGIN ED25519 PRIVATE KEY-----/);
});

test('gen ca --hours sets the lifetime of the certificate', async () => {
  await using lab = await GenLab.open();
  await lab.run(['ca', '--organization', 'acme', '--hours', '5']);
  assert.equal(hoursOf(parseCertificate(await lab.read('acme.crt'))), 5);
});

test('gen key, csr and crt produce a client certificate that OpenSSL verifies', async () => {
  await using lab = await GenLab.open();
  for (const words of [
    ['ca', '--organization', 'acme'],
    ['key', '--name', 'joe'],
    ['csr', '--key', 'joe.key', '--ip', '10.0.0.7', '--roles', 'os:reader,os:operator'],
    ['crt', '--ca', 'acme', '--csr', 'joe.csr', '--name', 'joe', '--hours', '48'],
  ]) {
    assert.deepEqual((await lab.run(words)).exitCode, 0, words.join(' '));
  }
  const request = parseCertificateRequest(await lab.read('joe.csr'));
  assert.deepEqual([request.ipAddresses, request.hasValidSignature()], [['10.0.0.7'], true]);
  const certificate = parseCertificate(await lab.read('joe.crt'));
  assert.deepEqual(
    {
      roles: certificate.subject.organizations.toSorted(),
      name: certificate.subject.commonName,
      usage: certificate.extendedKeyUsage,
      addresses: certificate.ipAddresses,
      hours: hoursOf(certificate),
    },
    {
      roles: ['os:operator', 'os:reader'],
      name: undefined,
      usage: ['clientAuth'],
      addresses: ['10.0.0.7'],
      hours: 48,
    },
  );
  assert.deepEqual((await lab.files())['joe.crt'], '600');
  const time = String(lab.now.getTime() / 1000 + 60);
  const verified = await run('openssl', [
    'verify',
    '-attime',
    time,
    '-purpose',
    'sslclient',
    '-CAfile',
    lab.path('acme.crt'),
    lab.path('joe.crt'),
  ]);
  assert.match(verified.stdout, /: OK\n$/);
});

test('gen keypair writes a self-signed certificate with the IP address', async () => {
  await using lab = await GenLab.open();
  const { stdout } = await lab.run(['keypair', '--organization', 'acme', '--ip', '::1', '-o', 'json']);
  assert.deepEqual(JSON.parse(stdout), { created: [lab.path('acme.crt'), lab.path('acme.key')] });
  const certificate = parseCertificate(await lab.read('acme.crt'));
  assert.deepEqual(
    [certificate.subject, certificate.ipAddresses, certificate.isCa],
    [certificate.issuer, ['::1'], true],
  );
});

test('each command refuses to overwrite a file, requires its flags and names invalid input', async () => {
  await using lab = await GenLab.open();
  await lab.run(['ca', '--organization', 'acme']);
  await lab.run(['key', '--name', 'joe']);
  await writeFile(lab.path('bad.key'), 'rubbish');
  await writeFile(lab.path('bad.csr'), 'rubbish');
  const rows: [string[], RegExp][] = [
    [
      ['ca', '--organization', 'acme'],
      /^error: file "acme\.crt" already exists, use --force to overwrite it\n$/,
    ],
    [['key', '--name', 'joe'], /^error: file "joe\.key" already exists/],
    [['ca'], /option --organization is missing/],
    [['key'], /option --name is missing/],
    [['csr', '--key', 'joe.key'], /option --ip is missing/],
    [['crt', '--ca', 'acme', '--csr', 'x'], /option --name is missing/],
    [['csr', '--key', 'joe.key', '--ip', '10.0.0'], /option --ip must be an IP address, not "10.0.0"/],
    [
      ['csr', '--key', 'joe.key', '--ip', '::1', '--roles', 'root'],
      /^error: unknown roles: root; the roles are os:admin/,
    ],
    [['csr', '--key', 'bad.key', '--ip', '::1'], /^error: "bad\.key": failed to read the private key/],
    [['csr', '--key', 'gone.key', '--ip', '::1'], /^error: cannot read "gone\.key"/],
    [['crt', '--ca', 'gone', '--csr', 'bad.csr', '--name', 'x'], /^error: cannot read "gone\.crt"/],
    [
      ['crt', '--ca', 'acme', '--csr', 'bad.csr', '--name', 'x'],
      /^error: "bad\.csr": failed to decode CSR\n$/,
    ],
    [['ca', '--organization', 'b', '--hours', '0'], /option --hours must be a number of hours/],
    [['ca', '--organization', 'no/such\0name'], /^error: /],
    [
      ['secureboot', 'uki', '--common-name', 'x'],
      /^error: talosctl gen secureboot is not implemented: the table in README\.md says what is\n$/,
    ],
  ];
  const before = await lab.files();
  for (const [words, stderr] of rows) {
    const { exitCode, stdout, ...result } = await lab.run(words);
    assert.deepEqual([exitCode, stdout], [1, ''], words.join(' '));
    assert.match(result.stderr, stderr);
  }
  assert.deepEqual(await lab.files(), before);
});
