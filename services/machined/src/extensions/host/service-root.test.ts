import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openServiceRoot } from './service-root.ts';

const work = mkdtempSync(join(tmpdir(), 'service-root-'));
after(() => rmSync(work, { recursive: true }));

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString().replace(/\0$/, '');

/** The calls of a kernel that mounts nothing. */
function openCalls() {
  const done: string[] = [];
  const calls = {
    mount: (source: Uint8Array, target: Uint8Array, type: Uint8Array, _flags: number, data: Uint8Array) =>
      void done.push(['mount', ...[source, target, type, data].map(textOf)].join(' ')),
    detachMount: (target: Uint8Array) => void done.push(`detach ${textOf(target)}`),
  };
  return { done, calls: async () => calls };
}

test('the root of a service is an overlay on its folder, and what was written is removed with it', async () => {
  const { done, calls } = openCalls();
  const overlays = join(work, 'overlays');
  {
    await using _root = await openServiceRoot(work, calls, overlays);
    const name = work.slice(1).replaceAll('/', '-');
    const folders = `upperdir=${overlays}/${name}-diff,workdir=${overlays}/${name}-work`;
    assert.deepEqual(done, [`mount overlay ${work} overlay lowerdir=${work},${folders}`]);
  }
  assert.equal(done.at(-1), `detach ${work}`);
});

test('a service whose extension has no root for it says so, and nothing is mounted', async () => {
  const { done, calls } = openCalls();
  await assert.rejects(openServiceRoot(join(work, 'none'), calls, work), {
    kind: 'failed-precondition',
    message: `no extension has a folder ${work}/none for it`,
  });
  assert.deepEqual(done, []);
});
