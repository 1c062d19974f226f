import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CacheContents, imagesOf } from './cache-contents.ts';
import { planCollection } from './plan-collection.ts';

const nowMs = 1_000_000;
const place = { registry: 'r.example', repository: 'app' };
const common = { isUsed: () => false, isHeld: () => false, nowMs, graceMs: 1000, unfinishedMs: 5000 };

interface Made {
  readonly tags: Record<string, string>;
  readonly manifests: Record<string, string[]>;
  readonly blobs: string[];
  /** Age in ms by name; old by default. */
  readonly ages?: Record<string, number>;
}

function contentsOf({ tags, manifests, blobs, ages = {} }: Made): CacheContents {
  const file = (name: string, bytes: number) => ({
    ...{ path: name, bytes, lastUsedMs: nowMs - (ages[name] ?? 100_000) },
  });
  return {
    tags: Object.entries(tags).map(([tag, digest]) => ({ ...file(`tag/${tag}`, 1), ...place, tag, digest })),
    manifests: Object.entries(manifests).map(([digest, children]) => ({
      ...{ ...file(`manifest/${digest}`, 1), ...place, digest, children },
    })),
    blobs: blobs.map((digest) => ({ ...file(`blob/${digest}`, 100), digest })),
    unfinished: [],
  };
}

const paths = (removals: readonly { path: string }[]) => removals.map(({ path }) => path);

test('planCollection() removes content without an image, and no image while there is space', () => {
  const contents = contentsOf({
    tags: { v1: 'index' },
    manifests: { index: ['amd64'], amd64: ['layer'] },
    blobs: ['layer', 'old', 'new', 'held'],
    ages: { 'blob/new': 10 },
  });
  const isHeld = (digest: string) => digest === 'held';
  const unfinished = ['early', 'late'].map((digest) => ({
    ...{ path: `ingest/${digest}`, digest, bytes: 7, lastUsedMs: digest === 'late' ? nowMs : 0 },
  }));
  const removals = planCollection({
    ...common,
    contents: { ...contents, unfinished },
    isHeld,
    neededBytes: 0,
  });
  assert.deepEqual(paths(removals), ['blob/old', 'ingest/early']);
});

test('planCollection() removes the images that were not used for longest, names first, and keeps what others share', () => {
  const made = {
    tags: { v1: 'one', v2: 'two' },
    manifests: { one: ['shared', 'first'], two: ['shared', 'second'], three: ['third'] },
    blobs: ['shared', 'first', 'second', 'third'],
    ages: {
      'tag/v1': 5000,
      'manifest/one': 9000,
      'tag/v2': 4000,
      'manifest/two': 9000,
      'manifest/three': 3000,
    },
  };
  const plan = (neededBytes: number, more: object = {}) =>
    paths(planCollection({ ...common, contents: contentsOf(made), neededBytes, ...more }));
  assert.deepEqual(plan(1), ['tag/v1', 'manifest/one', 'blob/first']);
  const all = ['tag/v1', 'tag/v2', 'manifest/one', 'manifest/two', 'manifest/three'];
  const blobs = ['blob/first', 'blob/shared', 'blob/second', 'blob/third'];
  assert.deepEqual(plan(10_000), [...all, ...blobs]);
  assert.deepEqual(plan(10_000, { isUsed: () => true }), []);
  assert.deepEqual(plan(10_000, { graceMs: 4500 }), ['tag/v1', 'manifest/one', 'blob/first']);
  const isHeld = (digest: string) => digest === 'shared';
  assert.deepEqual(plan(10_000, { isHeld }), [...all, ...blobs.filter((path) => path !== 'blob/shared')]);
  const isPulled = (digest: string) => digest === 'one';
  const others = ['tag/v2', 'manifest/two', 'manifest/three', 'blob/second', 'blob/third'];
  assert.deepEqual(plan(10_000, { isHeld: isPulled }), others);
});

test('planCollection() frees space with unfinished downloads that nobody holds, before any image', () => {
  const contents = contentsOf({ tags: { v1: 'one' }, manifests: { one: ['layer'] }, blobs: ['layer'] });
  const ages = { held: 900, older: 800, newer: 10 };
  const unfinished = Object.entries(ages).map(([digest, ageMs]) => ({
    ...{ path: `unfinished/${digest}`, digest, bytes: 50, lastUsedMs: nowMs - ageMs },
  }));
  const isHeld = (digest: string) => digest === 'held';
  const plan = (neededBytes: number) =>
    paths(planCollection({ ...common, contents: { ...contents, unfinished }, isHeld, neededBytes }));
  assert.deepEqual(plan(0), []);
  assert.deepEqual(plan(50), ['unfinished/older']);
  assert.deepEqual(plan(100), ['unfinished/older', 'unfinished/newer']);
  const image = ['tag/v1', 'manifest/one', 'blob/layer'];
  assert.deepEqual(plan(101), [...image, 'unfinished/older', 'unfinished/newer']);
});

const names = ['a', 'b', 'c', 'd', 'e'];
const cache = fc.record({
  tags: fc.dictionary(fc.constantFrom('v1', 'v2', 'v3'), fc.constantFrom(...names)),
  manifests: fc.dictionary(
    fc.constantFrom(...names),
    fc.uniqueArray(fc.constantFrom(...names, 'x', 'y', 'z')),
  ),
  blobs: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'w')),
  ages: fc.dictionary(
    fc.constantFrom('tag/v1', 'tag/v2', ...names.map((name) => `manifest/${name}`), 'blob/x', 'blob/w'),
    fc.nat(5000),
  ),
});

test('planCollection() keeps what is used or held, and leaves a whole cache after each removal', () => {
  fc.assert(
    fc.property(
      cache,
      fc.constantFrom(...names, 'x'),
      fc.constantFrom('v1', 'v2'),
      fc.nat(500),
      (made, held, used, neededBytes) => {
        const contents = contentsOf(made);
        const removals = planCollection({
          ...{ ...common, contents, neededBytes, isHeld: (digest) => digest === held },
          isUsed: ({ tag }) => tag?.tag === used,
        });
        const kept = imagesOf(contents).filter(
          ({ tag, lastUsedMs }) => tag?.tag === used || nowMs - lastUsedMs < common.graceMs,
        );
        const keptPaths = new Set(
          kept.flatMap(({ tag, manifests, blobs }) => paths([...(tag ? [tag] : []), ...manifests, ...blobs])),
        );
        const gone = new Set<string>();
        assert.equal(new Set(paths(removals)).size, removals.length);
        for (const { path, digest } of removals) {
          assert.ok(!keptPaths.has(path) && digest !== held, path);
          gone.add(path);
          for (const tag of contents.tags)
            assert.ok(
              gone.has(tag.path) || !gone.has(`manifest/${tag.digest}`),
              `${path} before ${tag.path}`,
            );
          const isInCircle = (manifest: string) =>
            contents.manifests.some((each) => each.children.includes(manifest));
          for (const { path: parent, children, digest: of } of contents.manifests)
            for (const child of children) {
              const isGone = gone.has(`blob/${child}`) || gone.has(`manifest/${child}`);
              assert.ok(!isGone || gone.has(parent) || isInCircle(of), `${child} before ${parent}`);
            }
        }
      },
    ),
    { numRuns: 2000 },
  );
});
