import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  effectiveConfig,
  encodeSecrets,
  generateSecrets,
  loadConfiguration,
} from '@nodewright/machine-config';
import { parseCertificate } from '@nodewright/pki';
import { parse } from 'yaml';
import { GenLab } from '../../testing/gen-lab.ts';

const endpoint = 'https://10.5.0.1:6443';
// Secrets for an old version are quick to generate, because they contain no RSA key.
const quickSecrets = await generateSecrets({
  now: new Date('2026-01-01T00:00:00Z'),
  contract: { major: 1, minor: 6 },
});
const bundle = encodeSecrets(quickSecrets);

async function openLab(): Promise<GenLab> {
  const lab = await GenLab.open();
  await writeFile(lab.path('secrets.yaml'), bundle, { mode: 0o600 });
  return lab;
}

const withSecrets = ['config', 'alpha', endpoint, '--with-secrets', 'secrets.yaml'];

test('gen config writes three files with mode 0644 into the working directory and prints their absolute paths', async () => {
  await using lab = await openLab();
  const { exitCode, stdout, stderr } = await lab.run(withSecrets);
  assert.deepEqual(
    { exitCode, stdout, stderr },
    {
      exitCode: 0,
      stdout: '',
      stderr: ['controlplane.yaml', 'worker.yaml', 'talosconfig']
        .map((name) => `Created ${lab.path(name)}\n`)
        .join(''),
    },
  );
  const mode = (0o644 & ~process.umask()).toString(8);
  assert.deepEqual(await lab.files(), {
    'controlplane.yaml': mode,
    'secrets.yaml': '600',
    talosconfig: mode,
    'worker.yaml': mode,
  });
  const controlPlane = effectiveConfig(loadConfiguration(await lab.read('controlplane.yaml')));
  const worker = effectiveConfig(loadConfiguration(await lab.read('worker.yaml')));
  assert.deepEqual(
    [controlPlane.machineType, controlPlane.issuingCA?.key, controlPlane.token],
    ['controlplane', quickSecrets.certs.os.key, quickSecrets.trustd.token],
  );
  assert.deepEqual(
    [worker.machineType, worker.issuingCA?.key, worker.cluster.name],
    ['worker', undefined, 'alpha'],
  );
});

test('gen config writes a talosconfig with an administrator certificate that the OS CA has just signed', async () => {
  await using lab = await openLab();
  await lab.run([...withSecrets, '-t', 'talosconfig']);
  const { context, contexts } = parse(await lab.read('talosconfig'));
  const certificate = parseCertificate(Buffer.from(contexts.alpha.crt, 'base64').toString());
  assert.deepEqual([context, contexts.alpha.endpoints], ['alpha', []]);
  assert.deepEqual(
    [certificate.subject.organizations, certificate.notBefore, certificate.issuer.organizations],
    [['os:admin'], lab.now, ['talos']],
  );
});

test('gen config without --with-secrets announces new secrets, and generates different ones in each run', async () => {
  await using lab = await GenLab.open();
  const words = ['config', 'alpha', endpoint, '--talos-version', 'v1.6', '-t', 'worker', '-o', '-'];
  const [first, second] = [await lab.run(words), await lab.run(words)];
  assert.equal(first.stderr, 'generating PKI and tokens\n');
  assert.notEqual(
    effectiveConfig(loadConfiguration(first.stdout)).token,
    effectiveConfig(loadConfiguration(second.stdout)).token,
  );
  assert.deepEqual(await lab.files(), {});
});

test('gen config writes one output to the path of -o, several into the folder of -o', async () => {
  await using lab = await openLab();
  const runs = [
    await lab.run([...withSecrets, '-t', 'worker', '-o', 'one/node.yaml']),
    await lab.run([...withSecrets, '-t', 'worker,talosconfig', '--output', 'many']),
    await lab.run([...withSecrets, '-t', 'worker', '-t', 'controlplane', '--output-dir', 'old']),
    await lab.run([...withSecrets, '-t', 'controlplane', '-o', 'many']),
  ];
  assert.deepEqual(
    runs.map(({ stderr }) => stderr),
    [
      'Created one/node.yaml\n',
      'Created many/worker.yaml\nCreated many/talosconfig\n',
      'Created old/worker.yaml\nCreated old/controlplane.yaml\n',
      'Created many/controlplane.yaml\n',
    ],
  );
  assert.deepEqual(Object.keys(await lab.files()), [
    'many/controlplane.yaml',
    'many/talosconfig',
    'many/worker.yaml',
    'old/controlplane.yaml',
    'old/worker.yaml',
    'one/node.yaml',
    'secrets.yaml',
  ]);
});

test('gen config --format reports the files by absolute path on standard output', async () => {
  await using lab = await openLab();
  const json = await lab.run([...withSecrets, '-t', 'worker', '-o', 'a.yaml', '--format', 'json']);
  const yaml = await lab.run([...withSecrets, '-t', 'worker', '-o', 'b.yaml', '--format', 'yaml']);
  assert.deepEqual([JSON.parse(json.stdout), json.stderr], [{ created: [lab.path('a.yaml')] }, '']);
  assert.deepEqual(parse(yaml.stdout), { created: [lab.path('b.yaml')] });
});

test('gen config refuses to overwrite a file and writes none, unless --force is at any position', async () => {
  await using lab = await openLab();
  await writeFile(lab.path('worker.yaml'), 'precious');
  const refused = await lab.run(withSecrets);
  assert.deepEqual(
    [refused.exitCode, refused.stderr],
    [1, `error: file "${lab.path('worker.yaml')}" already exists, use --force to overwrite it\n`],
  );
  assert.deepEqual(Object.keys(await lab.files()), ['secrets.yaml', 'worker.yaml']);
  assert.equal(await lab.read('worker.yaml'), 'precious');
  for (const words of [
    ['-f', ...withSecrets],
    [...withSecrets, '--force'],
    [...withSecrets, '-f', '-t', 'worker'],
  ]) {
    await writeFile(lab.path('worker.yaml'), 'precious');
    assert.equal((await lab.run(words)).exitCode, 0);
    assert.equal(effectiveConfig(loadConfiguration(await lab.read('worker.yaml'))).machineType, 'worker');
  }
  assert.deepEqual(Object.keys(await lab.files()), [
    'controlplane.yaml',
    'secrets.yaml',
    'talosconfig',
    'worker.yaml',
  ]);
});

test('gen config does not write through a dangling link, but does with --force', async () => {
  await using lab = await openLab();
  await symlink(lab.path('target.yaml'), lab.path('worker.yaml'));
  assert.match((await lab.run([...withSecrets, '-t', 'worker'])).stderr, /already exists/);
  assert.equal((await lab.run([...withSecrets, '-t', 'worker', '-f'])).exitCode, 0);
  assert.deepEqual(await lab.read('worker.yaml'), await lab.read('target.yaml'));
});

test('gen config passes its flags to the generator', async () => {
  await using lab = await openLab();
  const { stdout, stderr } = await lab.run(
    [
      ...withSecrets,
      ...['-t', 'controlplane', '-o', '-', '--with-docs=false', '--with-examples=false'],
      ...[
        '--with-kubespan=true',
        '--additional-sans',
        'a.example,b.example',
        '--additional-sans',
        '10.0.0.9',
      ],
      ...['--dns-domain', 'x.local', '--install-disk', '/dev/vda', '--kubernetes-version', 'v1.36.1'],
      ...['--registry-mirror', 'docker.io=http://m1,docker.io=http://m2', '--version', 'v1alpha1'],
    ],
    { TAG: 'v9.9.9' },
  );
  assert.equal(stderr, '');
  assert.equal(/^\s*#| # /m.test(stdout), false);
  const has = (text: string) => stdout.includes(text);
  assert.deepEqual(
    {
      sans: effectiveConfig(loadConfiguration(stdout)).certSANs,
      discovery: has('DiscoveryServiceConfig'),
      kubespan: has('kind: KubeSpanConfig'),
      domain: has('dnsDomain: x.local'),
      disk: has('match: disk.dev_path == "/dev/vda"'),
      installer: /installer:\n {4}image: factory\.talos\.dev\/metal-installer\/[0-9a-f]{64}:v9\.9\.9\n/.test(
        stdout,
      ),
      kubernetes: has('image: registry.k8s.io/kube-apiserver:v1.36.1\n'),
      mirrors: has('name: docker.io\nendpoints:\n    - url: http://m1\n    - url: http://m2\n'),
    },
    {
      sans: ['a.example', 'b.example', '10.0.0.9'],
      discovery: true,
      kubespan: true,
      domain: true,
      disk: true,
      installer: true,
      kubernetes: true,
      mirrors: true,
    },
  );
});

test('gen config writes its files, then warns of configurations that every node would reject', async () => {
  await using lab = await openLab();
  const without = await lab.run([
    ...withSecrets,
    '-t',
    'worker',
    '-o',
    '-',
    '--with-cluster-discovery=false',
  ]);
  assert.deepEqual([without.exitCode, without.stdout.includes('DiscoveryServiceConfig')], [0, false]);
  const refused = await lab.run([...withSecrets, '--with-cluster-discovery=false', '--with-kubespan']);
  assert.equal(refused.exitCode, 0);
  assert.match(
    refused.stderr,
    /Created .*talosconfig\nWARNING: nodes will reject the controlplane configuration: 1 error occurred:\n {4}\t\* KubeSpan needs discovery: DiscoveryServiceConfig\nWARNING: nodes will reject the worker /,
  );
  const patch = '{apiVersion: v1alpha1, kind: VLANConfig, name: v}';
  const patched = await lab.run([...withSecrets, '--force', '--config-patch-worker', patch]);
  assert.match(
    patched.stderr,
    /WARNING: nodes will reject the worker configuration: 1 error occurred:\n {4}\t\* VLANConfig\/v: vlanID /,
  );
  assert.deepEqual(Object.keys(await lab.files()).sort(), [
    'controlplane.yaml',
    'secrets.yaml',
    'talosconfig',
    'worker.yaml',
  ]);
});

test('gen config writes comments by default, and a flag turns off each kind', async () => {
  await using lab = await openLab();
  const run = async (...flags: string[]) =>
    (await lab.run([...withSecrets, '-t', 'worker', '-o', '-', ...flags])).stdout;
  const marks = (text: string) => [
    text.includes('# Version of this document.'),
    text.includes('# acceptedCAs:'),
  ];
  assert.deepEqual(marks(await run()), [true, true]);
  assert.deepEqual(marks(await run('--with-docs=false')), [false, true]);
  assert.deepEqual(marks(await run('--with-examples=f')), [true, false]);
  assert.deepEqual(marks(await run('--no-with-docs', '--with-examples=0')), [false, false]);
});

test('gen config applies the patches for all types before those for one type, from text and from files', async () => {
  await using lab = await openLab();
  await writeFile(lab.path('p.yaml'), 'machine:\n  certSANs: [from-file]\n');
  const words = [
    ...withSecrets,
    ...[
      '--config-patch',
      'machine: {certSANs: [inline], token: first}',
      '--config-patch',
      '@p.yaml',
      '--config-patch',
      'p.yaml',
    ],
    ...[
      '--config-patch-control-plane',
      '{"machine":{"token":"control"}}',
      '--config-patch-worker',
      'machine: {token: work}',
    ],
  ];
  assert.equal((await lab.run(words)).exitCode, 0);
  const tokenAndNames = (text: string) => {
    const { token, certSANs } = effectiveConfig(loadConfiguration(text));
    return [token, ...certSANs];
  };
  assert.deepEqual(tokenAndNames(await lab.read('controlplane.yaml')), [
    'control',
    'inline',
    'from-file',
    'from-file',
  ]);
  assert.deepEqual(tokenAndNames(await lab.read('worker.yaml')), [
    'work',
    'inline',
    'from-file',
    'from-file',
  ]);
});

test('gen config rejects invalid input and writes nothing', async () => {
  await using lab = await openLab();
  await writeFile(lab.path('broken.yaml'), 'cluster: {}\n');
  const config = ['config', 'alpha'];
  const rows: [string[], RegExp][] = [
    [
      [...config, '10.5.0.1'],
      /^error: invalid cluster endpoint "10\.5\.0\.1": it has no scheme and no port; try "https:\/\/10\.5\.0\.1:6443"\n$/,
    ],
    [
      [...withSecrets, '-t', 'nodes'],
      /^error: unknown output type "nodes": use controlplane, worker, talosconfig\n$/,
    ],
    [
      [...withSecrets, '-o', '-'],
      /^error: only one output type can be written to standard output, not controlplane, worker, talosconfig\n$/,
    ],
    [[...withSecrets, '-o', 'a', '--output-dir', 'b'], /give only one of them\n$/],
    [
      [...withSecrets, '--talos-version', 'v2.0'],
      /^error: unsupported version "v2\.0": supported are v1\.0 to v1\.17\n$/,
    ],
    [
      [...withSecrets, '--talos-version', 'latest'],
      /^error: error parsing version "latest": use a form like v1\.14\n$/,
    ],
    [
      [...withSecrets, '--registry-mirror', 'docker.io'],
      /^error: invalid registry mirror "docker\.io": use the form host=url\n$/,
    ],
    [[...withSecrets, '--config-patch', '@gone.yaml'], /^error: cannot read "gone\.yaml": /],
    [
      [...withSecrets, '--config-patch-worker', 'machine: { nope: 1 }'],
      /^error: patch 1 of --config-patch-worker: .*\n.*unknown keys|^error: patch 1 of --config-patch-worker: .*unknown keys/,
    ],
    [
      [...withSecrets, '--config-patch', '[{"op":"remove","path":"/machine"}]'],
      /^error: JSON6902 patches are not supported for multi-document machine configuration\n$/,
    ],
    [[...config, endpoint, '--with-secrets', 'gone.yaml'], /^error: cannot read "gone\.yaml": /],
    [
      [...config, endpoint, '--with-secrets', 'broken.yaml'],
      /^error: cannot use "broken\.yaml": secrets bundle: 14 problems:\n(?: {2}.* is required\n)+$/,
    ],
    [
      [...withSecrets, '-t', 'worker', '-o', '-', '--format', 'json'],
      /^error: flag --format reports the written files/,
    ],
    [[...withSecrets, '--version', 'v2'], /the only version is v1alpha1/],
    [[...withSecrets, '--with-docs=maybe'], /^error: invalid value "maybe" for flag --with-docs/],
    [config, /^error: argument <cluster-endpoint> is missing/],
  ];
  for (const [words, stderr] of rows) {
    const run = await lab.run(words);
    assert.deepEqual([run.exitCode, run.stdout], [1, ''], words.join(' '));
    assert.match(run.stderr, stderr);
  }
  assert.deepEqual(Object.keys(await lab.files()), ['broken.yaml', 'secrets.yaml']);
});

test('gen config names the file that it cannot write to a full disk', async () => {
  await using lab = await openLab();
  const { exitCode, stderr } = await lab.run([...withSecrets, '-t', 'worker', '-f', '-o', '/dev/full']);
  assert.equal(exitCode, 1);
  assert.match(stderr, /^error: cannot write "\/dev\/full": no space left on device/);
});
