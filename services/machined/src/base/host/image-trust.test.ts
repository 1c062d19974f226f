import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { certifyOwnKey } from '@nodewright/pki';
import { readTrustedCertificates, trustedCertificateFile } from './image-trust.ts';

const work = mkdtempSync(join(tmpdir(), 'image-trust-'));
after(() => rmSync(work, { recursive: true, force: true }));

function rootWith(text: string): string {
  const root = mkdtempSync(join(work, 'root-'));
  mkdirSync(dirname(join(root, trustedCertificateFile)), { recursive: true });
  writeFileSync(join(root, trustedCertificateFile), text);
  return root;
}

function certificateOf(commonName: string): string {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2056-01-01T00:00:00Z')];
  return certifyOwnKey({ key, commonName, notBefore, notAfter });
}

test('readTrustedCertificates() reads every certificate of the file, in its order', async () => {
  const pems = ['first', 'second'].map(certificateOf);
  const found = await readTrustedCertificates(rootWith(pems.join('')));
  assert.deepEqual(
    found.map(({ subject }) => subject),
    ['CN=first', 'CN=second'],
  );
  assert.equal((await readTrustedCertificates(rootWith(pems[0] ?? ''))).length, 1);
});

test('a root without such a file, or with one that has no or a damaged certificate, trusts nobody', async () => {
  const damaged = certificateOf('first').replace(/\n[A-Za-z0-9]{8}/, '\n!!!!!!!!');
  for (const root of [work, rootWith(''), rootWith('text'), rootWith(damaged)])
    await assert.rejects(readTrustedCertificates(root), { kind: 'failed-precondition' });
});
