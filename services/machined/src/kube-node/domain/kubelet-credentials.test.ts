import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKubeconfig } from '@nodewright/client/kubeconfig';
import { withFileContents } from './kubelet-credentials.ts';

test('withFileContents() puts the files of the kubelet into its kubeconfig, and keeps what is there', () => {
  const config = parseKubeconfig(
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://a', 'certificate-authority-data': 'Yw==' } }],
      users: [{ name: 'u', user: { 'client-certificate': '/pki/a.pem', 'client-key': '/pki/b.pem' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
    'a',
  );
  const read = (path: string) => (path === '/pki/a.pem' ? Buffer.from('cert') : undefined);
  const { clusters, users } = withFileContents(config, read);
  assert.deepEqual(clusters, config.clusters);
  assert.deepEqual(users[0]?.user, {
    ...{ 'client-certificate': '/pki/a.pem', 'client-key': '/pki/b.pem' },
    'client-certificate-data': Buffer.from('cert').toString('base64'),
  });
});
