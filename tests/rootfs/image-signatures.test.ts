// Signatures of an image: what was changed after it was signed is named.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { publicKeyIn, readPublicKey, signingKey } from '../../rootfs/signing/image-keys.ts';
import {
  artefacts,
  imageProblems,
  inputsFile,
  signedFiles,
  signFile,
  signImage,
} from '../../rootfs/signing/image-signatures.ts';

const work = mkdtempSync(join(tmpdir(), 'signatures-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** A signed image of small files. */
function signedImage() {
  const [folder, keys] = ['image-', 'keys-'].map((name) => mkdtempSync(join(work, name))) as [string, string];
  for (const name of artefacts) writeFileSync(join(folder, name), `content of ${name}`);
  signImage(folder, signingKey(keys));
  return { folder, keys, key: readPublicKey(publicKeyIn(keys)) };
}

test('an image as it was signed has no problems, and signing it again changes nothing', () => {
  const { folder, keys, key } = signedImage();
  const signatures = () => artefacts.map((name) => readFileSync(join(folder, `${name}.sig`), 'utf8'));
  const before = signatures();
  assert.deepEqual(imageProblems(folder, key), []);
  signImage(folder, signingKey(keys));
  assert.deepEqual(signatures(), before);
});

test('every file that was changed, exchanged or removed is named', () => {
  for (const name of artefacts) {
    const { folder, key } = signedImage();
    const bytes = readFileSync(join(folder, name));
    bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
    writeFileSync(join(folder, name), bytes);
    assert.deepEqual(imageProblems(folder, key), [`${name} is not the file that was signed with this key`]);
  }
  const { folder, key } = signedImage();
  copyFileSync(join(folder, 'vmlinuz'), join(folder, 'initramfs'));
  copyFileSync(join(folder, 'vmlinuz.sig'), join(folder, 'initramfs.sig'));
  rmSync(join(folder, 'disk.raw'));
  rmSync(join(folder, 'cmdline.txt.sig'));
  writeFileSync(join(folder, 'rootfs.verity.sig'), 'x');
  assert.deepEqual(imageProblems(folder, key), [
    'cmdline.txt has no signature',
    'disk.raw is missing',
    'initramfs is not the file that was signed with this key',
    'rootfs.verity is not the file that was signed with this key',
  ]);
});

test('the lists of an image are signed, and the list of digests too', () => {
  for (const name of ['contents.json', 'rootfs.spdx.json', 'SHA256SUMS']) {
    const { folder, key } = signedImage();
    appendFileSync(join(folder, name), ' ');
    assert.deepEqual(imageProblems(folder, key), [`${name} is not the file that was signed with this key`]);
  }
  const { folder, key } = signedImage();
  rmSync(join(folder, 'SHA256SUMS'));
  assert.deepEqual(imageProblems(folder, key), ['SHA256SUMS is missing']);
});

test('the digest of the inputs is signed once it is known, and an image without one has no problem', () => {
  const { folder, keys, key } = signedImage();
  writeFileSync(join(folder, inputsFile), 'ab\n');
  assert.deepEqual(imageProblems(folder, key), ['inputs.sha256 has no signature']);
  signFile(folder, inputsFile, signingKey(keys));
  assert.deepEqual(imageProblems(folder, key), []);
  writeFileSync(join(folder, inputsFile), 'cd\n');
  assert.deepEqual(imageProblems(folder, key), [
    'inputs.sha256 is not the file that was signed with this key',
  ]);
  rmSync(join(folder, inputsFile));
  assert.deepEqual(imageProblems(folder, key), ['inputs.sha256 is missing']);
  // An image whose sources have changed while it was built has neither.
  rmSync(join(folder, `${inputsFile}.sig`));
  assert.deepEqual(imageProblems(folder, key), []);
});

test('the files of extensions are signed as well, and each that was changed, removed or added is named', () => {
  const { folder, keys, key } = signedImage();
  mkdirSync(join(folder, 'extensions'));
  const path = (name: string) => join(folder, 'extensions', name);
  const names = ['1.squashfs', '1.verity', '2.squashfs'];
  for (const name of names) writeFileSync(path(name), `content of ${name}`);
  signImage(folder, signingKey(keys));
  assert.deepEqual(imageProblems(folder, key), []);
  assert.deepEqual(signedFiles(folder), [
    ...artefacts,
    'SHA256SUMS',
    ...names.map((name) => `extensions/${name}`),
  ]);
  writeFileSync(path('1.squashfs'), 'other content');
  rmSync(path('1.verity'));
  writeFileSync(path('3.squashfs'), 'content');
  assert.deepEqual(imageProblems(folder, key), [
    'extensions/1.squashfs is not the file that was signed with this key',
    'extensions/1.verity is missing',
    'extensions/3.squashfs has no signature',
  ]);
});

test('an image that somebody else signed is refused', () => {
  const { folder } = signedImage();
  assert.equal(imageProblems(folder, signedImage().key).length, artefacts.length + 1);
});

test('the private key is readable for its owner only, and stays the same', () => {
  const { keys } = signedImage();
  assert.equal(statSync(join(keys, 'image.key')).mode & 0o777, 0o600);
  const before = readFileSync(join(keys, 'image.key'), 'utf8');
  signingKey(keys);
  assert.equal(readFileSync(join(keys, 'image.key'), 'utf8'), before);
});

test('a file that is no key is named, and its content is not shown', () => {
  const keys = mkdtempSync(join(work, 'keys-'));
  writeFileSync(join(keys, 'image.key'), 'secret text');
  assert.throws(
    () => signingKey(keys),
    (error: Error) => {
      assert.match(error.message, /image\.key is not a key in PEM form$/);
      return !`${error.stack}${String(error.cause)}`.includes('secret text');
    },
  );
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(keys, 'image.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  assert.throws(() => signingKey(keys), /image\.key is not an Ed25519 key/);
  assert.throws(() => readPublicKey(join(keys, 'none.pub')), /none\.pub does not exist/);
});
