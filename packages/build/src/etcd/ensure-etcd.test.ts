import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type EtcdSource, ensureEtcd } from './ensure-etcd.ts';
import { archiveName, etcdPrograms, etcdVersion } from './etcd-release.ts';
import { fetchRelease } from './fetch-release.ts';
import { etcdGoPrograms } from './go-programs.ts';

const work = mkdtempSync(join(tmpdir(), 'ensure-etcd-'));
after(() => rmSync(work, { recursive: true, force: true }));
const newCheckout = () => mkdtempSync(join(work, 'checkout-'));

/** Programs that only print a version. */
function writePrograms(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of etcdPrograms) {
    writeFileSync(join(folder, program), `#!/bin/sh\necho '${program} Version: ${version}'\n`);
    chmodSync(join(folder, program), 0o755);
  }
}

const working = (version: string): EtcdSource => ({
  name: 'a source',
  fill: (folder) => writePrograms(folder, version),
});
const failing: EtcdSource = {
  name: 'another source',
  fill: () => {
    throw new Error('nobody answers\nand more that nobody wants to read');
  },
};

test('ensureEtcd() takes the first source that works, and fetches nothing when called again', async () => {
  const checkout = newCheckout();
  const first = await ensureEtcd(checkout, { sources: [failing, working('9.9.1')], version: '9.9.1' });
  const folder = join(checkout, '_out', 'tools', 'etcd');
  const programs = {
    version: '9.9.1',
    etcd: join(folder, 'etcd'),
    etcdutl: join(folder, 'etcdutl'),
    etcdctl: join(folder, 'etcdctl'),
  };
  assert.deepEqual(first, { ...programs, fetched: true });
  assert.deepEqual(await ensureEtcd(checkout, { sources: [failing], version: '9.9.1' }), {
    ...programs,
    fetched: false,
  });
  assert.deepEqual(readdirSync(join(checkout, '_out', 'tools')).sort(), ['etcd', 'etcd-9.9.1']);
});

test('ensureEtcd() says in one line why every source failed, and leaves no files', async () => {
  const checkout = newCheckout();
  const broken: EtcdSource = {
    name: 'a third',
    fill: (folder) => {
      mkdirSync(folder);
      writeFileSync(join(folder, 'etcd'), 'not a program', { mode: 0o755 });
    },
  };
  await assert.rejects(
    ensureEtcd(checkout, { sources: [failing, broken, working('9.9.0')], version: '9.9.1' }),
    ({ message }: Error) => {
      assert.match(
        message,
        /^etcd 9\.9\.1 is not to be had \(another source: nobody answers; a third: .* does not run: .*; a source: it has etcd 9\.9\.0\): make one of these work here, or put etcd, etcdutl, etcdctl into the folder \S+$/,
      );
      return true;
    },
  );
  assert.deepEqual(readdirSync(join(checkout, '_out', 'tools')), []);
});

test('ensureEtcd() replaces another version of an earlier call, but not programs that a person put there', async () => {
  const checkout = newCheckout();
  await ensureEtcd(checkout, { sources: [working('9.9.1')], version: '9.9.1' });
  const next = { sources: [working('9.9.2')], version: '9.9.2' };
  const { version, fetched } = await ensureEtcd(checkout, next);
  assert.deepEqual([version, fetched], ['9.9.2', true]);
  const other = newCheckout();
  writePrograms(join(other, '_out', 'tools', 'etcd'), '9.9.0');
  const own = await ensureEtcd(other, next);
  assert.deepEqual([own.version, own.fetched], ['9.9.0', false]);
});

test('the modules that are built have the version of the release', () => {
  const module = readFileSync(join(import.meta.dirname, 'wrapper', 'go.mod'), 'utf8');
  for (const path of Object.values(etcdGoPrograms).flatMap((program) => program.package))
    assert.ok(module.includes(`${path} v${etcdVersion} `), path);
});

test('ensureEtcd() gives concurrent callers the same programs', async () => {
  const checkout = newCheckout();
  const slow: EtcdSource = {
    name: 'slow',
    fill: async (folder) => {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 30));
      writePrograms(folder, '9.9.2');
    },
  };
  const all = await Promise.all(
    Array.from({ length: 8 }, () => ensureEtcd(checkout, { sources: [slow], version: '9.9.2' })),
  );
  for (const { version, etcd } of all) {
    assert.equal(version, '9.9.2');
    assert.ok(existsSync(etcd));
  }
  assert.deepEqual(readdirSync(join(checkout, '_out', 'tools')).sort(), ['etcd', 'etcd-9.9.2']);
});

test('fetchRelease() unpacks only an archive with the SHA-256 that the release lists', async () => {
  const architecture = 'amd64';
  const packed = join(work, 'packed');
  writePrograms(join(packed, archiveName(architecture)), '9.9.3');
  const file = join(work, 'archive.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', packed, archiveName(architecture)]);
  const bytes = readFileSync(file);
  const name = `${archiveName(architecture)}.tar.gz`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const expected = '0'.repeat(64);
  const answers = new Map<string | undefined, string | Buffer>([
    ['/good/SHA256SUMS', `${expected}  etcd-other.tar.gz\n${sha256}  ${name}\n`],
    [`/good/${name}`, bytes],
    ['/damaged/SHA256SUMS', `${expected}  ${name}\n`],
    [`/damaged/${name}`, bytes],
    ['/unlisted/SHA256SUMS', `${expected}  etcd-other.tar.gz\n`],
  ]);
  const server = createServer(({ url }, response) => {
    const answer = answers.get(url);
    if (answer === undefined) response.writeHead(404).end();
    else response.end(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const folder = join(work, 'fetched');
    await fetchRelease({ url: `${origin}/good`, architecture }, folder);
    assert.deepEqual(readdirSync(folder).sort(), [...etcdPrograms].sort());

    const other = join(work, 'other');
    const failures = {
      damaged: `${origin}/damaged/${name} has the SHA-256 ${sha256} where ${expected} is expected`,
      unlisted: `${origin}/unlisted/SHA256SUMS does not list ${name}`,
      absent: `${origin}/absent/SHA256SUMS: answered 404`,
    };
    for (const [release, message] of Object.entries(failures))
      await assert.rejects(fetchRelease({ url: `${origin}/${release}`, architecture }, other), { message });
    assert.equal(existsSync(other), false);
  } finally {
    server.close();
  }
});
