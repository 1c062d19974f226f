import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { type ComponentName, components } from '@nodewright/node-files';
import { kubernetesRootSecrets } from '@nodewright/state/kinds';
import type { ComponentFiles } from './component-files.ts';
import { versionOf } from './component-versions.ts';
import { secretFiles } from './secret-files.ts';
import { secretsVersion } from './secrets-version.ts';

const newKey = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const pair = (name: string) => ({ crt: `${name} certificate\n`, key: `${name} key\n` });
const signing = newKey();
const root = {
  ...kubernetesRootSecrets.codec.fromProto(new Uint8Array()),
  issuingCA: pair('CA'),
  acceptedCAs: [pair('CA')],
  aggregatorCA: pair('aggregator CA'),
  acceptedAggregatorCAs: [pair('aggregator CA')],
  serviceAccount: { key: signing.privateKey },
};

function filesWith(change: Partial<typeof root> = {}): ComponentFiles {
  const files = secretFiles({
    root: { ...root, ...change },
    etcdRoot: { etcdCA: pair('etcd CA') },
    secrets: {
      controllerManagerKubeconfig: 'of the controller manager',
      schedulerKubeconfig: 'of the scheduler',
      localhostAdminKubeconfig: '',
      adminKubeconfig: '',
    },
    dynamic: {
      apiServer: pair('API server'),
      apiServerKubeletClient: pair('kubelet client'),
      frontProxy: pair('front proxy'),
    },
    etcd: {
      ...{ etcd: pair('etcd'), etcdPeer: pair('peer'), etcdAdmin: pair('admin') },
      etcdAPIServer: pair('etcd client'),
    },
    encryption: 'providers',
  });
  assert.ok(files !== undefined);
  return files;
}

/** The components whose pods are replaced when files change from one state to another. */
function replacedBetween(before: ComponentFiles, after: ComponentFiles): ComponentName[] {
  const [old, next] = [secretsVersion(before), secretsVersion(after)];
  return components.filter((component) => versionOf(old, component) !== versionOf(next, component));
}

test('the version of a component follows each file that its program reads only when it starts', () => {
  const files = filesWith();
  const rows = components.flatMap((component) =>
    Object.keys(files[component] ?? {}).map((name) => {
      const changed = { ...files, [component]: { ...files[component], [name]: 'another text' } };
      return [`${component}/${name}`, replacedBetween(files, changed)] as const;
    }),
  );
  // A file that is new belongs here. It stays without a component only if its program follows the file while it runs.
  const [api, manager] = [['kube-apiserver'], ['kube-controller-manager']];
  assert.deepEqual(Object.fromEntries(rows), {
    'kube-apiserver/aggregator-ca.crt': [],
    'kube-apiserver/apiserver-kubelet-client.crt': [],
    'kube-apiserver/apiserver-kubelet-client.key': [],
    'kube-apiserver/apiserver.crt': [],
    'kube-apiserver/apiserver.key': [],
    'kube-apiserver/ca.crt': [],
    'kube-apiserver/encryptionconfig.yaml': api,
    'kube-apiserver/etcd-client-ca.crt': api,
    'kube-apiserver/etcd-client.crt': [],
    'kube-apiserver/etcd-client.key': [],
    'kube-apiserver/front-proxy-client.crt': [],
    'kube-apiserver/front-proxy-client.key': [],
    'kube-apiserver/service-account.key': api,
    'kube-apiserver/service-account.pub': api,
    'kube-controller-manager/ca.crt': manager,
    'kube-controller-manager/ca.key': manager,
    'kube-controller-manager/kubeconfig': manager,
    'kube-controller-manager/service-account.key': manager,
    'kube-scheduler/kubeconfig': ['kube-scheduler'],
  });
});

test('a file that the version does not know counts as one that is read at the start', () => {
  const files = filesWith();
  const more = { ...files, 'kube-apiserver': { ...files['kube-apiserver'], 'new.key': 'text' } };
  assert.deepEqual(replacedBetween(files, more), ['kube-apiserver']);
});

test('another key of service accounts replaces the components that sign or verify tokens with it', () => {
  const other = newKey();
  const isAccepted = filesWith({ serviceAccountAcceptedKeys: [{ key: other.publicKey }] });
  const signs = filesWith({ serviceAccount: { key: other.privateKey } });
  assert.deepEqual(replacedBetween(filesWith(), isAccepted), ['kube-apiserver']);
  assert.deepEqual(replacedBetween(filesWith(), signs), ['kube-apiserver', 'kube-controller-manager']);
});

test('the version gives away no text of a file', () => {
  assert.match(secretsVersion(filesWith()), /^[0-9a-f]{32}\.[0-9a-f]{32}\.[0-9a-f]{32}$/);
});
