// Clients of others pull through registryd: the image is at a registry that they cannot reach by its name.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { registryFiles } from '@nodewright/node-files';
import { digestOf } from '@nodewright/oci';
import { noContainerd, startContainerd } from '../containerd/start-containerd.ts';
import { openRig } from './open-rig.ts';
import { missingProgram, runProgram } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'registry-clients-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('skopeo copies an image whose registry is a part of its name', {
  skip: (await missingProgram('skopeo', 'skopeo')) ?? false,
}, async () => {
  await using rig = await openRig();
  const target = join(folder, 'skopeo');
  const source = `docker://127.0.0.1:${rig.registryd.port()}/registry.example/team/app:v1`;
  const { code, output } = await runProgram('skopeo', [
    ...['copy', '--src-tls-verify=false', '--preserve-digests', source, `dir:${target}`],
  ]);
  assert.equal(code, 0, output);
  assert.equal(digestOf(readFileSync(join(target, 'manifest.json'))), rig.image.manifest.digest);
  for (const { digest, bytes } of [rig.image.config, ...rig.image.layers])
    assert.deepEqual(readFileSync(join(target, digest.replace('sha256:', ''))), bytes);
  const missing = await runProgram('skopeo', [
    ...['inspect', '--tls-verify=false', source.replace(':v1', ':v2')],
  ]);
  assert.match(missing.output, /manifest unknown/);
});

test('containerd pulls with the hosts.toml of machined', { skip: noContainerd }, async () => {
  await using rig = await openRig();
  await using containerd = await startContainerd();
  const hosts = join(folder, 'hosts');
  const endpoint = `http://127.0.0.1:${rig.registryd.port()}`;
  const mirrors = { '*': { endpoints: [{ endpoint, overridePath: false }], skipFallback: false } };
  for (const { path, contents } of registryFiles({ mirrors, tls: {} }, hosts)) {
    mkdirSync(dirname(join(hosts, path)), { recursive: true });
    writeFileSync(join(hosts, path), contents);
  }
  const ctr = (...args: string[]) =>
    runProgram(join(containerd.programs.folder, 'ctr'), ['-a', containerd.socketPath, ...args]);
  const reference = 'registry.example/team/app:v1';
  const pulled = await ctr('images', 'pull', '--hosts-dir', hosts, reference);
  assert.equal(pulled.code, 0, pulled.output);
  const listed = await ctr('images', 'ls');
  assert.match(listed.output, new RegExp(`${reference}.*${rig.image.manifest.digest}`));
  const content = await ctr('content', 'ls', '-q');
  for (const { digest } of [rig.image.config, ...rig.image.layers])
    assert.ok(content.output.includes(digest));
  const missing = await ctr('images', 'pull', '--hosts-dir', hosts, 'registry.example/team/app:v2');
  assert.match(missing.output, /StatusNotFound"? host="127\.0\.0\.1/);
});

const dockerProblem = await runProgram('docker', ['version']).then(
  ({ code }) => (code === 0 ? false : 'there is no Docker engine: make engine'),
  () => 'docker is missing: make engine',
);

test('docker pulls an image whose registry is a part of its name', {
  skip: dockerProblem,
}, async () => {
  await using rig = await openRig();
  const name = `127.0.0.1:${rig.registryd.port()}/registry.example/team/app:v1`;
  try {
    const pulled = await runProgram('docker', ['pull', name]);
    assert.equal(pulled.code, 0, pulled.output);
    assert.ok(pulled.output.includes(rig.image.manifest.digest), pulled.output);
  } finally {
    await runProgram('docker', ['image', 'rm', '--force', name]);
  }
});
