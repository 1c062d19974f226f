import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { decodeSecrets, encodeSecrets, generateConfig, generateSecrets } from '@nodewright/machine-config';
import { GenLab } from '../../testing/gen-lab.ts';

const now = new Date('2026-01-01T00:00:00Z');
const quick = ['--talos-version', 'v1.6'];
const secrets = await generateSecrets({ now, contract: { major: 1, minor: 6 } });
const { certs } = secrets;

test('gen secrets writes a bundle that only the owner can read', async () => {
  await using lab = await GenLab.open();
  const { exitCode, stderr } = await lab.run(['secrets', ...quick]);
  assert.deepEqual(
    [exitCode, stderr, await lab.files()],
    [0, 'Created secrets.yaml\n', { 'secrets.yaml': '600' }],
  );
  assert.match(
    decodeSecrets(await lab.read('secrets.yaml')).certs.kubernetesServiceAccount.key,
    /BEGIN EC PRIVATE KEY/,
  );
});

test('gen secrets for the current version generates an RSA key for service accounts', async () => {
  await using lab = await GenLab.open();
  const { stdout } = await lab.run(['secrets', '-o', '-']);
  assert.match(decodeSecrets(stdout).certs.kubernetesServiceAccount.key, /BEGIN RSA PRIVATE KEY/);
});

test('gen secrets for version 1.2 generates the older kind of encryption secret', async () => {
  await using lab = await GenLab.open();
  const { stdout } = await lab.run(['secrets', '--talos-version', '1.2', '-o', '-']);
  assert.deepEqual(Object.keys(decodeSecrets(stdout).secrets), ['bootstrapToken', 'aescbcEncryptionSecret']);
});

test('gen secrets refuses to overwrite a file; with --force it restores mode 0600', async () => {
  await using lab = await GenLab.open();
  await writeFile(lab.path('secrets.yaml'), 'precious');
  await chmod(lab.path('secrets.yaml'), 0o644);
  const refused = await lab.run(['secrets', ...quick]);
  assert.deepEqual(
    [refused.exitCode, refused.stderr],
    [1, 'error: file "secrets.yaml" already exists, use --force to overwrite it\n'],
  );
  assert.equal(await lab.read('secrets.yaml'), 'precious');
  assert.equal((await lab.run(['secrets', '--force', ...quick])).exitCode, 0);
  assert.deepEqual(await lab.files(), { 'secrets.yaml': '600' });
});

test('gen secrets copies all secrets from the configuration of a control plane', async () => {
  await using lab = await GenLab.open();
  const config = generateConfig({
    secrets,
    clusterName: 'a',
    endpoint: 'https://a:6443',
    type: 'controlplane',
  });
  await writeFile(lab.path('cp.yaml'), config);
  const { stdout } = await lab.run(['secrets', '--from-controlplane-config', 'cp.yaml', '-o', '-']);
  assert.equal(stdout, encodeSecrets(secrets));
});

test('gen secrets uses the authorities of a kubeadm folder and the token of a flag', async () => {
  await using lab = await GenLab.open();
  await mkdir(lab.path('pki/etcd'), { recursive: true });
  for (const [name, pair] of Object.entries({
    ca: certs.kubernetes,
    'etcd/ca': certs.etcd,
    'front-proxy-ca': certs.kubernetesAggregator,
  })) {
    await writeFile(lab.path(`pki/${name}.crt`), pair.certificate);
    await writeFile(lab.path(`pki/${name}.key`), pair.key);
  }
  const words = ['secrets', ...quick, '-p', 'pki', '-t', 'abcdef.0123456789abcdef', '-o', '-'];
  assert.match((await lab.run(words)).stderr, /^error: cannot read "pki\/sa\.key": /);
  await writeFile(lab.path('pki/sa.key'), certs.kubernetesServiceAccount.key);
  const taken = decodeSecrets((await lab.run(words)).stdout);
  assert.deepEqual({ ...taken.certs, os: undefined }, { ...certs, os: undefined });
  assert.equal(taken.secrets.bootstrapToken, 'abcdef.0123456789abcdef');
  assert.notEqual(taken.certs.os.key, certs.os.key);
  await writeFile(lab.path('pki/ca.crt'), 'rubbish');
  assert.match((await lab.run(words)).stderr, /^error: "pki\/ca\.crt": /);
});

test('gen secrets rejects contradictory flags and reports its file as a document', async () => {
  await using lab = await GenLab.open();
  const both = await lab.run(['secrets', '-p', 'x', '--from-controlplane-config', 'y']);
  assert.match(
    both.stderr,
    /^error: flags --from-controlplane-config and --from-kubernetes-pki exclude each other; see "talosctl gen secrets --help"\n$/,
  );
  const reported = await lab.run(['secrets', ...quick, '-o', 'new/s.yaml', '--format', 'json']);
  assert.deepEqual(JSON.parse(reported.stdout), { created: [lab.path('new/s.yaml')] });
});
