import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCertificate } from '@nodewright/pki';
import { parse } from 'yaml';
import { generateSecrets } from './secrets/generate-secrets.ts';
import { encodeTalosconfig, generateTalosconfig } from './talosconfig.ts';

const pem = { ca: '-----BEGIN A-----\n', certificate: '-----BEGIN B-----\n', key: '-----BEGIN C-----\n' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('encodeTalosconfig() writes one context named after the cluster, with an empty list of endpoints', () => {
  const text = encodeTalosconfig({ clusterName: 'alpha', ...pem });
  assert.deepEqual(parse(text), {
    context: 'alpha',
    contexts: {
      alpha: { endpoints: [], ca: base64(pem.ca), crt: base64(pem.certificate), key: base64(pem.key) },
    },
  });
  assert.deepEqual(Object.keys(parse(text).contexts.alpha), ['endpoints', 'ca', 'crt', 'key']);
});

test('encodeTalosconfig() quotes cluster names that look like other YAML types', () => {
  const { context, contexts } = parse(
    encodeTalosconfig({ clusterName: '1.10', endpoints: ['10.0.0.1'], nodes: ['n1'], ...pem }),
  );
  assert.deepEqual(
    [context, Object.keys(contexts), contexts['1.10'].endpoints, contexts['1.10'].nodes],
    ['1.10', ['1.10'], ['10.0.0.1'], ['n1']],
  );
});

test('generateTalosconfig() issues a client certificate for os:admin without a common name, valid for one year', async () => {
  const now = new Date('2026-01-02T03:04:05Z');
  // An old contract has an ECDSA service account key, which is fast to generate.
  const secrets = await generateSecrets({ now, contract: { major: 1, minor: 6 } });
  const { contexts } = parse(await generateTalosconfig({ secrets, clusterName: 'alpha', now }));
  const { ca, crt, key } = contexts.alpha;
  const decoded = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  assert.equal(decoded(ca), secrets.certs.os.certificate);
  assert.match(decoded(key), /^-----BEGIN ED25519 PRIVATE KEY-----/);
  const { subject, extendedKeyUsage, notBefore, notAfter, isCa } = parseCertificate(decoded(crt));
  assert.deepEqual(
    {
      subject,
      extendedKeyUsage,
      isCa,
      notBefore,
      hours: (notAfter.getTime() - notBefore.getTime()) / 3_600_000,
    },
    {
      subject: { commonName: undefined, organizations: ['os:admin'] },
      extendedKeyUsage: ['clientAuth'],
      isCa: false,
      notBefore: now,
      hours: 8760,
    },
  );
});
