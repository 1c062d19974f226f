import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backdatingMs,
  generateCertificateAuthority,
  issueCertificate,
  parseCertificate,
} from '@nodewright/pki';
import {
  apiCertificates,
  diagnostics,
  etcdSecrets,
  kubernetesSecrets,
  osRootSecrets,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { newAuthority, openSecretsRig, type SecretsRig } from './testing/secrets-rig.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const authority = await newAuthority();

/** A certificate of a year that ends so long after now. */
async function endingIn(leftMs: number): Promise<{ crt: string; key: string }> {
  const { certificate, key } = await issueCertificate({
    issuer: authority,
    subject: { commonName: 'x' },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: new Date(Date.now() + leftMs - 365 * dayMs),
    lifetimeHours: 365 * 24,
  });
  return { crt: certificate, key };
}

const none = { etcd: undefined, etcdPeer: undefined, etcdAdmin: undefined, etcdAPIServer: undefined };

async function problemsOf(node: SecretsRig): Promise<string[]> {
  await node.runtime.settled();
  const found = await node.state.list(diagnostics);
  return found.flatMap(({ metadata, spec }) => [
    `${metadata.id}: ${spec.message.replace(/ends at [^,]+/, 'ends at <time>')}`,
    ...spec.details.slice(0, -1).map((text) => text.replace(/ends at .+/, 'ends at <time>')),
  ]);
}

test('a certificate that ends in less than 30 days is a diagnostic, and another one in less than 7 days', async () => {
  await using node = await openSecretsRig();
  await node.put(etcdSecrets, 'etcd', { ...none, etcd: await endingIn(30 * dayMs + hourMs / 2) });
  assert.deepEqual(await problemsOf(node), []);
  await node.runtime.advance(hourMs);
  assert.deepEqual(await problemsOf(node), [
    'certificate-ends-30-days: the certificate of the server etcd ends at <time>, in less than 30 days',
  ]);
  await node.runtime.advance(23 * dayMs);
  assert.deepEqual(await problemsOf(node), [
    'certificate-ends-7-days: the certificate of the server etcd ends at <time>, in less than 7 days',
  ]);
  await node.put(etcdSecrets, 'etcd', { ...none, etcd: await endingIn(365 * dayMs) });
  assert.deepEqual(await problemsOf(node), []);
});

test('CAs and clients in kubeconfigs are watched, too, and the one that ends first is named first', async () => {
  await using node = await openSecretsRig();
  const { crt } = await endingIn(20 * dayMs);
  const scheduler = `users:\n  - user: { client-certificate-data: ${Buffer.from(crt).toString('base64')} }\n`;
  await node.put(kubernetesSecrets, 'k8s-certs', {
    ...{ schedulerKubeconfig: scheduler, controllerManagerKubeconfig: '' },
    ...{ localhostAdminKubeconfig: '', adminKubeconfig: '' },
  });
  const old = await generateCertificateAuthority({
    ...{ algorithm: 'ed25519', organization: 'talos' },
    notBefore: new Date(Date.now() - 355 * dayMs),
    lifetimeHours: 365 * 24,
  });
  await node.configure({ type: 'worker', ca: old });
  assert.deepEqual(await problemsOf(node), [
    'certificate-ends-30-days: the certificate of the CA of the API ends at <time>, in less than 30 days',
    'the certificate of the scheduler ends at <time>',
  ]);
  // An accepted CA that is about to be removed is no problem.
  const spec = await node.spec(osRootSecrets, 'os');
  assert.equal(spec?.acceptedCAs.length, 1);
  await node.configure({ type: 'worker', ca: old, acceptedCAs: [authority.certificate] });
  assert.deepEqual(await problemsOf(node), [
    'certificate-ends-30-days: the certificate of the scheduler ends at <time>, in less than 30 days',
  ]);
});

test('certificates of a day are no diagnostic, because they are renewed in time', async () => {
  await using node = await openSecretsRig();
  await node.configure({ ca: authority });
  for (let hour = 0; hour < 48; hour += 1) {
    await node.runtime.advance(hourMs);
    assert.deepEqual(await problemsOf(node), []);
  }
});

test('the certificates of apid and trustd begin before they are issued, and end a day after it', async () => {
  await using node = await openSecretsRig();
  const nowMs = node.runtime.timers.now();
  await node.configure({ ca: authority });
  const api = await node.spec(apiCertificates, 'api');
  const trustd = await node.spec(trustdCertificates, 'trustd');
  for (const pair of [api?.server, api?.client, trustd?.server]) {
    const { notBefore, notAfter } = parseCertificate(pair?.crt ?? '');
    assert.deepEqual(
      [notBefore.getTime() - nowMs, notAfter.getTime() - nowMs].map((ms) => Math.round(ms / 60_000)),
      [-backdatingMs / 60_000, 24 * 60],
    );
  }
});
