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
import { archiveName, etcdPrograms } from './etcd-release.ts';
import { fetchRelease } from './fetch-release.ts';

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
  const first = await ensureEtcd(checkout, [failing, working('9.9.1')]);
  const folder = join(checkout, '_out', 'tools', 'etcd');
  const programs = {
    version: '9.9.1',
    etcd: join(folder, 'etcd'),
    etcdutl: join(folder, 'etcdutl'),
    etcdctl: join(folder, 'etcdctl'),
  };
  assert.deepEqual(first, { ...programs, fetched: true });
  assert.deepEqual(await ensureEtcd(checkout, [failing]), { ...programs, fetched: false });
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
  await assert.rejects(ensureEtcd(checkout, [failing, broken]), ({ message }: Error) => {
    assert.match(
      message,
      /^etcd is not to be had \(another source: nobody answers; a third: .* does not run: .*\): put etcd, etcdutl, etcdctl into \S+$/,
    );
    return true;
  });
  assert.deepEqual(readdirSync(join(checkout, '_out', 'tools')), []);
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
  const all = await Promise.all(Array.from({ length: 8 }, () => ensureEtcd(checkout, [slow])));
  for (const { version, etcd } of all) {
    assert.equal(version, '9.9.2');
    assert.ok(existsSync(etcd));
  }
  assert.deepEqual(readdirSync(join(checkout, '_out', 'tools')).sort(), ['etcd', 'etcd-9.9.2']);
});

test('fetchRelease() unpacks only the archive whose SHA-256 is pinned', async () => {
  const architecture = 'amd64';
  const packed = join(work, 'packed');
  writePrograms(join(packed, archiveName(architecture)), '9.9.3');
  const file = join(work, 'archive.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', packed, archiveName(architecture)]);
  const bytes = readFileSync(file);
  const server = createServer((request, response) => {
    if (request.url === '/archive') response.end(bytes);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const folder = join(work, 'fetched');
    await fetchRelease({ url: `${origin}/archive`, architecture, sha256 }, folder);
    assert.deepEqual(readdirSync(folder).sort(), [...etcdPrograms].sort());

    const other = join(work, 'other');
    const expected = '0'.repeat(64);
    const wrong = fetchRelease({ url: `${origin}/archive`, architecture, sha256: expected }, other);
    await assert.rejects(wrong, {
      message: `${origin}/archive has the SHA-256 ${sha256} where ${expected} is expected`,
    });
    assert.equal(existsSync(other), false);
    const absent = fetchRelease({ url: `${origin}/absent`, architecture, sha256 }, other);
    await assert.rejects(absent, { message: `${origin}/absent: answered 404` });
  } finally {
    server.close();
  }
});
