import assert from 'node:assert/strict';
import { mkdtempSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDaemonRoot } from './daemon-root.ts';

const work = mkdtempSync(join(tmpdir(), 'daemon-root-'));
after(() => rmSync(work, { recursive: true }));

test('openDaemonRoot() makes a folder with links, also when it is there from an earlier run', async () => {
  const root = join(work, 'system/libexec/apid');
  for (const _run of [1, 2]) {
    await using _root = await openDaemonRoot(root, { lib64: 'usr/lib64', 'etc/hosts': '../files/hosts' });
    assert.equal(statSync(root).mode & 0o777, 0o711);
    assert.equal(readlinkSync(join(root, 'lib64')), 'usr/lib64');
    assert.equal(readlinkSync(join(root, 'etc/hosts')), '../files/hosts');
  }
});
