import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { certifyOwnKey } from './certify-own-key.ts';
import { isSignedDetached, signDetached } from './detached-signature.ts';

const folder = mkdtempSync(join(tmpdir(), 'detached-signature-'));
after(() => rmSync(folder, { recursive: true }));

function signer() {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2056-01-01T00:00:00Z')];
  const pem = certifyOwnKey({ key, commonName: 'signer', notBefore, notAfter });
  return { key, certificate: new X509Certificate(pem) };
}

const own = signer();
const content = Buffer.from('a'.repeat(64));
const signature = signDetached(content, own.key, own.certificate);

test('isSignedDetached() accepts a signature of the key of any given certificate, and no other content or key', () => {
  const other = signer();
  assert.equal(isSignedDetached(content, signature, [other.certificate, own.certificate]), true);
  assert.equal(isSignedDetached(content, signature, [other.certificate]), false);
  assert.equal(isSignedDetached(content, signature, []), false);
  assert.equal(isSignedDetached(Buffer.from('b'.repeat(64)), signature, [own.certificate]), false);
  // The name of one signer around the signature of another.
  const forged = signDetached(content, other.key, own.certificate);
  assert.equal(isSignedDetached(content, forged, [own.certificate, other.certificate]), false);
  assert.deepEqual(signDetached(content, own.key, own.certificate), signature);
});

test('isSignedDetached() refuses a signature with any flipped bit, a shorter and a longer one, and never throws', () => {
  const certificates = [own.certificate];
  for (let at = 0; at < signature.length; at += 1) {
    const changed = Buffer.from(signature);
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
    assert.equal(isSignedDetached(content, changed, certificates), false, `byte ${at}`);
  }
  assert.equal(isSignedDetached(content, signature.subarray(1), certificates), false);
  assert.equal(isSignedDetached(content, Buffer.concat([signature, Buffer.of(0)]), certificates), false);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 5000 }),
      (bytes) => isSignedDetached(content, bytes, certificates) === false,
    ),
  );
});

const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';
const skip =
  spawnSync('openssl', ['version']).error !== undefined && !isContinuousIntegration
    ? 'there is no openssl command on this machine'
    : false;

test('openssl accepts what signDetached() signs, and refuses it for other content', { skip }, () => {
  const file = (name: string, bytes: Uint8Array | string) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const certificate = file('certificate.pem', own.certificate.toString());
  const verify = (of: Uint8Array) =>
    execFileSync(
      'openssl',
      [
        ...['cms', '-verify', '-binary', '-inform', 'DER', '-in', file('signature', signature)],
        ...['-content', file('content', of), '-certfile', certificate, '-CAfile', certificate],
        ...['-purpose', 'any', '-out', join(folder, 'out')],
      ],
      { stdio: 'pipe' },
    );
  verify(content);
  assert.throws(() => verify(Buffer.from('other')), /^Error: Command failed: openssl cms -verify /);
});
