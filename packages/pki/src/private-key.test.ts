import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { Fault } from '@nodewright/fault';
import { encodePem } from './pem.ts';
import {
  encodePrivateKey,
  generateKey,
  generateServiceAccountKey,
  loadPrivateKey,
  tlsPrivateKey,
} from './private-key.ts';

const labelOf = (pem: string) => /-----BEGIN (.+)-----/.exec(pem)?.[1];

test('keys are written with the labels of machine configurations, and are read again', async () => {
  const keys = await Promise.all((['ed25519', 'ecdsa-p256'] as const).map(generateKey));
  const rows = keys.map(({ privateKey }) => {
    const pem = encodePrivateKey(privateKey);
    return [labelOf(pem), labelOf(tlsPrivateKey(pem)), loadPrivateKey(pem).equals(privateKey)];
  });
  assert.deepEqual(rows, [
    ['ED25519 PRIVATE KEY', 'PRIVATE KEY', true],
    ['EC PRIVATE KEY', 'EC PRIVATE KEY', true],
  ]);
});

test('loadPrivateKey() takes PKCS #8 of every key type and skips a block of parameters', async () => {
  for (const algorithm of ['ed25519', 'ecdsa-p256'] as const) {
    const { privateKey } = await generateKey(algorithm);
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const parameters = encodePem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'));
    assert.deepEqual(
      [loadPrivateKey(pkcs8).equals(privateKey), loadPrivateKey(parameters + pkcs8).equals(privateKey)],
      [true, true],
    );
  }
});

test('tlsPrivateKey() gives a label that node:tls accepts, unlike the original one', async () => {
  const pem = encodePrivateKey((await generateKey('ed25519')).privateKey);
  assert.throws(() => createSecureContext({ key: pem }), { code: 'ERR_OSSL_UNSUPPORTED' });
  assert.doesNotThrow(() => createSecureContext({ key: tlsPrivateKey(pem) }));
});

test('generateServiceAccountKey() makes an RSA key of 4096 bits that signs', async () => {
  const pem = await generateServiceAccountKey();
  const key = loadPrivateKey(pem);
  const signature = sign('sha256', Buffer.from('token'), key);
  assert.deepEqual(
    {
      label: labelOf(pem),
      bits: key.asymmetricKeyDetails?.modulusLength,
      verifies: verify('sha256', Buffer.from('token'), createPublicKey(key), signature),
    },
    { label: 'RSA PRIVATE KEY', bits: 4096, verifies: true },
  );
});

test('a malformed key gives a fault that names its label and never its content', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const rows: [string, RegExp][] = [
    ['nothing', /not PEM/],
    [encodePem('CERTIFICATE', der), /label "CERTIFICATE" is not one of/],
    [encodePem('OPENSSH PRIVATE KEY', der), /label "OPENSSH PRIVATE KEY" is not one of/],
    [encodePem('EC PRIVATE KEY', der.subarray(0, 20)), /label "EC PRIVATE KEY"/],
    [encodePem('ED25519 PRIVATE KEY', Buffer.alloc(48, 1)), /label "ED25519 PRIVATE KEY"/],
    [encodePem('RSA PRIVATE KEY', Buffer.alloc(0)), /label "RSA PRIVATE KEY"/],
  ];
  for (const [pem, message] of rows) {
    assert.throws(
      () => loadPrivateKey(pem),
      (error) => error instanceof Fault && error.kind === 'invalid-argument' && message.test(error.message),
      pem,
    );
  }
});
