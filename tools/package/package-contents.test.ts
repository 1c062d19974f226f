import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { collectBundles } from './package-contents.ts';
import { temporaryFolder } from './program/testing.ts';

test('collectBundles() packs the certificates of the build, without which no node is upgraded', (t) => {
  const dist = temporaryFolder(t);
  const names = ['apid', 'machined', 'process-supervisor', 'registryd', 'talosctl', 'trustd', 'udevd-bridge'];
  for (const name of names) {
    mkdirSync(join(dist, name));
    writeFileSync(join(dist, name, `${name}.cjs`), name);
  }
  assert.throws(() => collectBundles(dist), {
    message: `${dist}/trusted-certificates.pem is missing: run make build`,
  });
  writeFileSync(join(dist, 'trusted-certificates.pem'), 'certificates');
  assert.deepEqual(
    collectBundles(dist).map(({ path, isProgram, data }) => [path, isProgram, data.toString()]),
    [
      ...names.map((name) => [`dist/${name}/${name}.cjs`, false, name]),
      ['dist/trusted-certificates.pem', false, 'certificates'],
    ],
  );
  rmSync(join(dist, 'trustd'), { recursive: true });
  assert.throws(() => collectBundles(dist), { message: `${dist}/trustd is missing: run make build` });
});
