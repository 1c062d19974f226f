import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseTalosconfig, type TalosconfigContext } from '@nodewright/client/talosconfig';
import { openMemoryCluster } from '../testing/test-cluster.ts';
import { generateClusterMaterial } from './generated-material.ts';

const never = new AbortController().signal;
const day = 24 * 3_600_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);

const contextIn = (text: string): TalosconfigContext => {
  const { context, contexts } = parseTalosconfig(text);
  return contexts.get(context) as TalosconfigContext;
};
const daysLeft = ({ crt = '' }: TalosconfigContext) =>
  Math.round((new X509Certificate(Buffer.from(crt, 'base64')).validToDate.getTime() - Date.now()) / day);

/** A cluster that was created some days ago and is stopped. */
async function openOldCluster(ageDays: number) {
  const used: string[] = [];
  const cluster = await openMemoryCluster({
    makeMaterial: () => generateClusterMaterial(() => daysAgo(ageDays)),
    async openProbe(talosconfig) {
      used.push(talosconfig);
      return { version: async () => 'source', [Symbol.asyncDispose]: async () => {} };
    },
  });
  const folder = join(cluster.ref().clustersFolder, cluster.ref().name);
  const { talosconfig } = cluster.request();
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  await cluster.provisioner.stop({ ...cluster.ref(), node: undefined }, cluster.progress);
  return {
    ...cluster,
    used,
    secrets: join(folder, 'secrets.yaml'),
    talosconfig,
    start: () => cluster.provisioner.start({ ...cluster.ref(), node: undefined }, cluster.progress, never),
    own: async () => contextIn(await readFile(join(folder, 'talosconfig'), 'utf8')),
    users: async () => contextIn(await readFile(talosconfig, 'utf8')),
  };
}

for (const ageDays of [340, 1000])
  test(`starting a cluster of ${ageDays} days issues the certificate of its administrator again`, async () => {
    await using cluster = await openOldCluster(ageDays);
    const before = await cluster.own();
    assert.equal(daysLeft(before), 365 - ageDays);
    await cluster.start();
    const after = await cluster.own();
    assert.deepEqual(
      [daysLeft(after), after.ca, after.endpoints, after.nodes],
      [365, before.ca, before.endpoints, before.nodes],
    );
    // The nodes are awaited with the new certificate, and the user's commands have it as well.
    assert.equal(contextIn(cluster.used.at(-1) ?? '').crt, after.crt);
    const users = await cluster.users();
    assert.deepEqual([users.crt, users.key?.reveal()], [after.crt, after.key?.reveal()]);
    await cluster.start();
    assert.equal((await cluster.own()).crt, after.crt);
  });

test('starting a cluster of 300 days changes no certificate', async () => {
  await using cluster = await openOldCluster(300);
  const before = await cluster.own();
  await cluster.start();
  assert.deepEqual([(await cluster.own()).crt, (await cluster.users()).crt], [before.crt, before.crt]);
});

test('a lock beside the talosconfig disturbs no start in which nothing is due', async () => {
  await using cluster = await openOldCluster(300);
  const lock = `${cluster.talosconfig}.lock`;
  await writeFile(lock, `${process.pid}\n`);
  await cluster.start();
  await rm(lock);
  assert.deepEqual(cluster.notes, []);
});

for (const [what, ageDays, change] of [
  ['renewed', 340, (text: string) => text],
  ['added again', 300, () => ''],
] as const)
  test(`a context that cannot be ${what} is noted, and the cluster starts`, async () => {
    await using cluster = await openOldCluster(ageDays);
    const before = change(await readFile(cluster.talosconfig, 'utf8'));
    // A link to a file whose name leaves no room for that of a draft beside it cannot be saved, not even by root.
    const target = join(dirname(cluster.talosconfig), 'c'.repeat(255));
    await writeFile(target, before);
    await rm(cluster.talosconfig);
    await symlink(target, cluster.talosconfig);
    await cluster.start();
    assert.equal(await readFile(cluster.talosconfig, 'utf8'), before);
    assert.match(cluster.notes.join('\n'), /context of the cluster in .* cannot be written: /);
  });

test('a context of the user with other roles keeps its certificate', async () => {
  await using cluster = await openOldCluster(340);
  const reader = await cluster.users();
  const { issueCertificate } = await import('@nodewright/pki');
  const { decodeSecrets } = await import('@nodewright/machine-config');
  const { certificate } = await issueCertificate({
    issuer: decodeSecrets(await readFile(cluster.secrets, 'utf8')).certs.os,
    subject: { organizations: ['os:reader'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: daysAgo(340),
    lifetimeHours: 8760,
  });
  const crt = Buffer.from(certificate).toString('base64');
  const text = await readFile(cluster.talosconfig, 'utf8');
  await writeFile(cluster.talosconfig, text.replace(reader.crt ?? '', crt));
  await cluster.start();
  assert.equal((await cluster.users()).crt, crt);
});

test('a certificate that cannot be issued again is noted, and the cluster starts', async () => {
  await using cluster = await openOldCluster(340);
  const before = await cluster.own();
  await rm(cluster.secrets);
  await cluster.start();
  assert.equal((await cluster.own()).crt, before.crt);
  assert.match(
    cluster.notes.join('\n'),
    /administrator's certificate ends on .* cannot be issued again: .*secrets\.yaml/,
  );
});
