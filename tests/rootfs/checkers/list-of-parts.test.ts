// What checkers of others say of the list of parts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockFile, readPackageLock } from '../../../rootfs/debian/package-lock.ts';
import { spdxDocument } from '../../../rootfs/image/bill-of-materials.ts';
import { debianComponent } from '../../../rootfs/image/debian-component.ts';
import { bundleComponents } from '../bundle-components.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');

for (const { program, from, args, expected } of [
  { program: 'pyspdxtools', from: 'spdx-tools', args: ['--infile'], expected: /^$/ },
  {
    program: 'ntia-checker',
    from: 'ntia-conformance-checker',
    args: ['--comply', 'ntia'],
    expected: /conformant.*True/i,
  },
]) {
  test(`${program} accepts the list`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'spdx-'));
    after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'parts.spdx.json');
    const { packages } = readPackageLock(join(checkout, lockFile));
    const debian = Object.entries(packages.amd64).map(([id, locked]) => debianComponent(id, locked));
    const identity = { version: 'v0', sha256: 'ab'.repeat(32), epochSeconds: 0 };
    writeFileSync(path, spdxDocument([...debian, ...bundleComponents(checkout)], identity));
    const { error, status, stdout, stderr } = spawnSync(program, [...args, path], { encoding: 'utf8' });
    assert.equal(error, undefined, `install ${program}: pipx install ${from}`);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, expected, stderr);
  });
}
