// Signatures for UEFI firmware. Machines with such firmware are in tests/boot.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isSignedForFirmware, programKeys, signaturePlace, signerCertificate } from '@nodewright/boot';
import { secureBootKey } from '@nodewright/build/keys';
import fc from 'fast-check';
import { programProblem, signProgram } from '../../rootfs/secure-boot/authenticode.ts';
import { programDigest, signatureOf, withoutSignature } from '../../rootfs/secure-boot/efi-program.ts';
import { enrolCertificate } from '../../rootfs/secure-boot/variable-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'secure-boot-'));
after(() => rmSync(folder, { recursive: true }));
const { key, certificate } = secureBootKey(folder);

const headersBytes = 512;
/** A program of two sections, with nothing in it that could run. */
function makeProgram(content = 'code'): Buffer {
  const program = Buffer.alloc(3 * headersBytes);
  program.write('MZ');
  program.writeUInt32LE(0x40, 0x3c);
  program.write('PE\0\0', 0x40, 'latin1');
  const coff = 0x44;
  program.writeUInt16LE(2, coff + 2);
  program.writeUInt16LE(240, coff + 16);
  const optional = coff + 20;
  program.writeUInt16LE(0x20b, optional);
  program.writeUInt32LE(headersBytes, optional + 60);
  for (const index of [0, 1]) {
    const header = optional + 240 + index * 40;
    program.writeUInt32LE(headersBytes, header + 16);
    program.writeUInt32LE((index + 1) * headersBytes, header + 20);
  }
  program.write(content, headersBytes);
  return program;
}
const optionalAt = 0x44 + 20;
const checksumAt = optionalAt + 64;

test('a signed program is verified with its certificate alone, and the signature can be taken off', () => {
  const program = makeProgram();
  const signed = signProgram(program, key, certificate);
  assert.equal(programProblem(signed, certificate), undefined);
  assert.ok(withoutSignature(signed).equals(program));
  assert.equal(programProblem(program, certificate), 'has no signature for firmware');
  assert.throws(() => signProgram(signed, key, certificate), /has a signature already/);
});

test('the same key gives the same certificate and the same signature', () => {
  const again = secureBootKey(folder);
  assert.ok(again.certificate.raw.equals(certificate.raw));
  const program = makeProgram();
  assert.ok(
    signProgram(program, key, certificate).equals(signProgram(program, again.key, again.certificate)),
  );
  assert.equal(statSync(join(folder, 'secure-boot.key')).mode & 0o777, 0o600);
});

test('one changed byte anywhere but in the sum makes the program invalid', () => {
  const signed = signProgram(makeProgram(), key, certificate);
  const signature = signatureOf(signed);
  assert.ok(signature !== undefined);
  // The header of the signature says nothing that is used here, and firmware ignores the sum.
  const end = signed.length - signature.length - 8;
  const isRead = (at: number) => at < checksumAt || at >= checksumAt + 4;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: end - 1 }).filter(isRead),
      fc.integer({ min: 1, max: 255 }),
      (at, bits) => {
        const changed = Buffer.from(signed);
        changed.writeUInt8(changed.readUInt8(at) ^ bits, at);
        return programProblem(changed, certificate) !== undefined;
      },
    ),
  );
});

test('a signature with another key, or of another program, is refused', () => {
  const other = secureBootKey(join(folder, 'other'));
  const signed = signProgram(makeProgram(), other.key, other.certificate);
  assert.equal(programProblem(signed, certificate), 'is not signed with the key of this certificate');
  const mine = signProgram(makeProgram('other'), key, certificate);
  const mixed = Buffer.concat([makeProgram().subarray(0, headersBytes), mine.subarray(headersBytes)]);
  mixed.writeUInt32LE(3 * headersBytes, optionalAt + 112 + 32);
  mixed.writeUInt32LE(mine.length - 3 * headersBytes, optionalAt + 112 + 36);
  mixed.write('code\0', headersBytes);
  assert.equal(programProblem(mixed, certificate), 'was changed after it was signed for firmware');
});

test('a program with bytes that no section has is not signed', () => {
  const longer = Buffer.concat([makeProgram(), Buffer.alloc(8)]);
  assert.throws(() => programDigest(longer), /bytes that belong to no section/);
  const gap = makeProgram();
  gap.writeUInt32LE(headersBytes - 8, optionalAt + 60);
  assert.throws(() => programDigest(gap), /bytes that belong to no section/);
  assert.throws(() => programDigest(Buffer.alloc(100)), /not a program for UEFI/);
});

test('OpenSSL finds the digest of the program and a signature of 2048 bits in it', {
  skip: noOpenssl(),
}, () => {
  const program = makeProgram();
  const signature = signatureOf(signProgram(program, key, certificate));
  assert.ok(signature !== undefined);
  const path = join(folder, 'signature.der');
  writeFileSync(path, signature.subarray(0, 4 + signature.readUInt16BE(2)));
  const { stdout, status, stderr } = spawnSync('openssl', ['asn1parse', '-inform', 'DER', '-in', path], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const octets = [...stdout.matchAll(/OCTET STRING +\[HEX DUMP\]:([0-9A-F]+)/g)].map(([, hex]) => hex ?? '');
  assert.equal(octets[0]?.toLowerCase(), programDigest(program).toString('hex'));
  assert.equal(octets.at(-1)?.length, 512);
});

function noOpenssl(): string | false {
  return spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is missing';
}

/** The start of the variables of OVMF: the header of the volume, that of the store, and erased flash. */
function emptyStore(): Buffer {
  const store = Buffer.alloc(8192, 0xff);
  store.fill(0, 0, 0x48 + 28);
  store.writeUInt16LE(0x48, 48);
  Buffer.from('782cf3aa7b949a43a1802e144ec37792', 'hex').copy(store, 0x48);
  return store;
}

/** The file of efivarfs with the certificates that the firmware has for programs. */
function keysFile(...certificates: Buffer[]): Buffer {
  const lists = certificates.map((one) => {
    const store = enrolCertificate(emptyStore(), one);
    const first = 0x48 + 28;
    const [nameBytes, dataBytes] = [store.readUInt32LE(first + 36), store.readUInt32LE(first + 40)];
    return store.subarray(first + 60 + nameBytes, first + 60 + nameBytes + dataBytes);
  });
  return Buffer.concat([Buffer.from('27000000', 'hex'), ...lists]);
}

test('isSignedForFirmware() accepts a program whose certificate is in the list of the firmware, and no other', () => {
  const other = secureBootKey(join(folder, 'other firmware'));
  const signed = signProgram(makeProgram(), key, certificate);
  const place = signaturePlace(signed) ?? assert.fail('it has a signature');
  const signature = signed.subarray(place.offset, place.offset + place.bytes);
  assert.ok(signerCertificate(signature)?.equals(certificate.raw));
  const both = keysFile(other.certificate.raw, certificate.raw);
  assert.deepEqual(programKeys(both), [other.certificate.raw, certificate.raw]);
  assert.ok(isSignedForFirmware(both, signature));
  assert.ok(!isSignedForFirmware(keysFile(other.certificate.raw), signature));
  assert.ok(!isSignedForFirmware(both.subarray(0, -1), signature), 'a list that is cut off');
  assert.equal(signaturePlace(makeProgram()), undefined);
  assert.ok(!isSignedForFirmware(both, undefined));
});

test('enrolCertificate() writes db, KEK and PK, which hold the certificate, and nothing else', () => {
  const store = enrolCertificate(emptyStore(), certificate.raw);
  let at = 0x48 + 28;
  const names: string[] = [];
  while (store.readUInt16LE(at) === 0x55aa) {
    const [nameBytes, dataBytes] = [store.readUInt32LE(at + 36), store.readUInt32LE(at + 40)];
    names.push(store.toString('utf16le', at + 60, at + 60 + nameBytes - 2));
    assert.equal(store.readUInt32LE(at + 4), 0x27);
    const data = store.subarray(at + 60 + nameBytes, at + 60 + nameBytes + dataBytes);
    assert.equal(data.readUInt32LE(16), dataBytes);
    assert.ok(data.subarray(44).equals(certificate.raw));
    at = Math.ceil((at + 60 + nameBytes + dataBytes) / 4) * 4;
  }
  assert.deepEqual(names, ['db', 'KEK', 'PK']);
  assert.ok(store.subarray(at).every((byte) => byte === 0xff));
});

test('enrolCertificate() refuses a store that has variables, or is none', () => {
  const enrolled = enrolCertificate(emptyStore(), certificate.raw);
  assert.throws(() => enrolCertificate(enrolled, certificate.raw), /are not empty/);
  assert.throws(
    () => enrolCertificate(Buffer.alloc(8192), certificate.raw),
    /no store of authenticated variables/,
  );
});
