import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unneededDigests } from './unneeded-digests.ts';

const digest = `sha256:${'d'.repeat(64)}`;
const id = `sha256:${'1'.repeat(64)}`;
const [app, other] = ['registry.example/app', 'registry.example/other'];
const pinned = `${app}@${digest}`;

test('unneededDigests() removes with the last tag what was made with it', () => {
  const rows: [removed: string, others: string[], gone: string[]][] = [
    [`${app}:v1`, [], []],
    [`${app}:v1`, [pinned, id], [pinned, id]],
    [`${app}:v1`, [`${app}:v1@${digest}`, pinned], [`${app}:v1@${digest}`, pinned]],
    // Another tag, or another repository, still has the image.
    [`${app}:v1`, [`${app}:v2`, pinned, id], []],
    [`${app}:v1`, [pinned, `${other}:v1`, `${other}@${digest}`, id], [pinned]],
    [`${app}:v1`, [`${other}@${digest}`, id], []],
    // Who removes a digest names it alone.
    [pinned, [`${app}:v1`, id], []],
    [pinned, [`${app}:v1@${digest}`, id], []],
    [pinned, [id], [id]],
    [`${app}:v1`, ['a name of somebody', pinned, id], [pinned]],
    ['a name of somebody', [pinned, id], []],
    [id, [`${app}:v1`, pinned], []],
  ];
  for (const [removed, others, gone] of rows)
    assert.deepEqual(unneededDigests(removed, others), gone, removed);
});

test('unneededDigests() never removes a tag, and leaves nothing by digest alone once each tag was removed', () => {
  const repository = fc.constantFrom(app, other);
  const tag = fc.tuple(repository, fc.constantFrom('v1', 'v2')).map((parts) => parts.join(':'));
  const byDigest = repository.map((name) => `${name}@${digest}`);
  const names = fc.uniqueArray(fc.oneof(tag, byDigest, fc.constant(id)));
  fc.assert(
    fc.property(names, (all) => {
      const isTag = (name: string) => name.includes(':v');
      // What somebody has pulled by digest alone stays.
      const alone = all.filter(
        (name) =>
          name.includes('@') && !all.some((each) => isTag(each) && each.startsWith(name.split('@')[0] ?? '')),
      );
      let left = all;
      for (const removed of all.filter(isTag)) {
        left = left.filter((name) => name !== removed);
        const gone = unneededDigests(removed, left);
        assert.ok(!gone.some(isTag));
        left = left.filter((name) => !gone.includes(name));
      }
      const kept = alone.length > 0 || !all.some(isTag) ? all.filter((name) => name === id) : [];
      assert.deepEqual(left.toSorted(), [...alone, ...kept].toSorted());
    }),
  );
});
