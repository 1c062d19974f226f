import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTalosconfig, type TalosconfigContext } from '@nodewright/client/talosconfig';
import { Secret } from '@nodewright/fault';
import { decodeSecrets } from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';

/** The clock of an emulated machine is seconds behind that of its host. */
const clockDifferenceMs = 60_000;

/** The administrator's context for the cluster in `folder`, but with a certificate for these roles. */
export async function contextFor(folder: string, roles: readonly string[]): Promise<TalosconfigContext> {
  const { certs } = decodeSecrets(await readFile(join(folder, 'secrets.yaml'), 'utf8'));
  const { certificate, key } = await issueCertificate({
    issuer: certs.os,
    subject: { organizations: [...roles] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(Date.now() - clockDifferenceMs),
    lifetimeHours: 1,
  });
  const config = await readTalosconfig(join(folder, 'talosconfig'));
  const admin = config.contexts.get(config.context);
  assert.ok(admin !== undefined);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return { ...admin, crt: base64(certificate), key: new Secret(base64(key)) };
}
