import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { certificateEnd } from './certificate-end.ts';
import { emptyContext } from './talosconfig.ts';

const notBefore = new Date('2026-01-01T00:00:00Z');
const after = (hours: number) => new Date(notBefore.getTime() + hours * 3_600_000);

async function contextFor(lifetimeHours: number) {
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore,
  });
  const { certificate } = await issueCertificate({
    ...{ issuer, notBefore, lifetimeHours, subject: { organizations: ['os:admin'] } },
    ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['clientAuth'] },
  });
  return { ...emptyContext, crt: Buffer.from(certificate).toString('base64') };
}

test('certificateEnd() is due in the last 30 days, and in the last third of a short certificate', async () => {
  const [year, day] = [await contextFor(8760), await contextFor(24)];
  const isDue = (context: typeof year, hours: number) => certificateEnd(context, after(hours))?.isDue;
  assert.deepEqual(
    [8760 - 30 * 24 - 1, 8760 - 30 * 24 + 1, 9999].map((hours) => isDue(year, hours)),
    [false, true, true],
  );
  assert.deepEqual(
    [0, 15, 17, 25].map((hours) => isDue(day, hours)),
    [false, false, true, true],
  );
  assert.deepEqual(certificateEnd(day, notBefore), {
    ...{ endsAt: after(24), isDue: false, subject: 'O=os:admin' },
  });
});

test('certificateEnd() is undefined without a certificate, and for one that cannot be read', () => {
  assert.equal(certificateEnd(emptyContext, notBefore), undefined);
  assert.equal(certificateEnd({ ...emptyContext, crt: 'bm8=' }, notBefore), undefined);
});
