import { test } from 'node:test';
import fc from 'fast-check';
import { isSignedForFirmware, programKeys, signaturePlace, signerCertificate } from './firmware-keys.ts';

// Real signatures and real variables: tests/rootfs/secure-boot.test.ts.
test('every sequence of bytes can be read as a list of keys, as headers and as a signature', () => {
  const bytes = fc.uint8Array({ maxLength: 600 }).map((given) => Buffer.from(given));
  fc.assert(
    fc.property(bytes, bytes, (some, others) => {
      programKeys(some);
      signaturePlace(some);
      signerCertificate(some);
      isSignedForFirmware(some, others);
    }),
    { numRuns: 1000 },
  );
});
