import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { decodePem, encodePem, splitPem } from './pem.ts';

const block = fc.record(
  {
    label: fc.constantFrom('CERTIFICATE', 'ED25519 PRIVATE KEY', 'X'),
    der: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  },
  { noNullPrototype: true },
);

test('decodePem() reads what encodePem() wrote, with text in between and any line ends', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.constantFrom('\n', '\r\n'), (blocks, lineEnd) => {
      const text = blocks.map(({ label, der }) => `subject=O = x\n${encodePem(label, der)}`).join('\n');
      assert.deepEqual(decodePem(text.replaceAll('\n', lineEnd)), blocks);
    }),
  );
});

test('decodePem() refuses blocks that are not closed, not base64 or encrypted, and never repeats their content', () => {
  const secret = 'U0VDUkVU';
  const armour = (body: string) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
  const broken = [
    `-----BEGIN PRIVATE KEY-----\n${secret}\n`,
    `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END CERTIFICATE-----\n`,
    `-----BEGIN ${secret}`,
    `-----BEGIN \n${secret}-----\n-----END \n${secret}-----`,
    armour(`${secret}*`),
    armour(`${secret}=A`),
    armour(`Proc-Type: 4,ENCRYPTED\n\n${secret}`),
  ];
  for (const text of broken) {
    assert.throws(
      () => decodePem(text),
      (error) =>
        error instanceof Fault && error.kind === 'invalid-argument' && !error.message.includes(secret),
      text,
    );
  }
});

test('splitPem() splits a bundle, optionally by label', () => {
  const [first, second, key] = [
    encodePem('CERTIFICATE', Buffer.from('one')),
    encodePem('CERTIFICATE', Buffer.from('two')),
    encodePem('PRIVATE KEY', Buffer.from('three')),
  ];
  const bundle = `# the bundle\n${first}${key}${second}`;
  assert.deepEqual(splitPem(bundle), [first, key, second]);
  assert.deepEqual(splitPem(bundle, 'CERTIFICATE'), [first, second]);
  assert.deepEqual(splitPem('nothing'), []);
});
