import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goRelease, readGoWrapper } from '@nodewright/build/go';
import fc from 'fast-check';
import { suites } from '../suites/suite-table.ts';
import { freshnessRows, freshnessText, type KnownVersion } from './freshness-rows.ts';
import { type HeldVersion, heldVersions } from './held-versions.ts';
import { newestOfOutdated, pinnedPackages, renewManifest } from './npm-manifests.ts';
import { goWrappers, npmManifests } from './registries.ts';
import { suitesAfter } from './suites-after.ts';
import { isLater, isRelease, laterReleases } from './versions.ts';

const checkout = join(import.meta.dirname, '..', '..');
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const held: HeldVersion = { kind: 'go', name: 'kube', version: 'v1.37.1', reason: 'of the images' };

test('freshnessRows() names what is old, the longest first, and after that every exception with its reason', () => {
  const known: KnownVersion[] = [
    { kind: 'npm', name: 'fresh', version: '1.0.0', newest: '1.0.0' },
    { kind: 'npm', name: 'unknown', version: '1.0.0', newest: '1.1.0' },
    { kind: 'npm', name: 'old', version: '1.0.0', newest: '1.2.0', newerSince: day('2026-01-01') },
    {
      kind: 'debian',
      name: 'libc6',
      version: '1',
      newest: '2',
      newerSince: day('2026-01-29'),
      isLatest: true,
    },
    {
      kind: 'debian',
      name: 'libc6',
      version: '1',
      newest: '2',
      newerSince: day('2026-01-29'),
      isLatest: true,
    },
    { kind: 'go', name: 'kube', version: 'v1.37.1', newest: 'v1.37.2', newerSince: day('2025-01-31') },
  ];
  const rows = freshnessRows(known, [held, { ...held, name: 'talos', version: 'v1' }], day('2026-01-31'));
  assert.deepEqual(rows, [
    { kind: 'npm', name: 'old', version: '1.0.0', newest: '1.2.0', days: 30 },
    { kind: 'debian', name: 'libc6', version: '1', newest: '2', days: 2, atMost: true },
    { kind: 'npm', name: 'unknown', version: '1.0.0', newest: '1.1.0' },
    { kind: 'go', name: 'kube', version: 'v1.37.1', newest: 'v1.37.2', days: 365, held: 'of the images' },
    { kind: 'go', name: 'talos', version: 'v1', newest: 'v1', held: 'of the images' },
  ]);
  const text = freshnessText(rows);
  assert.match(text, /^debian +libc6 +1 +2 +at most 2 days$/m);
  assert.match(text, /^go +kube +v1\.37\.1 +v1\.37\.2 +365 days +of the images$/m);
  assert.match(text, /\n3 old: make update renews them, 2 held\n$/);
  assert.equal(freshnessText([]), '0 old, 0 held\n');
});

test('readGoWrapper() reads what a go.mod asks for itself: direct requirements, and the modules of its tools', () => {
  const text = [
    'module example.dev/wrapper // a name',
    '',
    'go 1.26.6',
    'tool a.dev/one/v2/cmd/x',
    'tool (',
    '\ta.dev/one/v2/sub/cmd/y',
    ')',
    'require b.dev/direct v1.0.0',
    'require (',
    '\ta.dev/one/v2 v2.1.0 // indirect',
    '\ta.dev/one/v2/sub v0.3.0 // indirect',
    '\tc.dev/deep v0.0.1 // indirect',
    '\td.dev/staged v0.0.0',
    ')',
    'replace d.dev/staged => d.dev/staged v0.37.1',
    'replace b.dev/direct => ../beside',
  ].join('\n');
  assert.deepEqual(readGoWrapper(text).modules, [
    { module: 'b.dev/direct', version: 'v1.0.0', tools: [] },
    { module: 'a.dev/one/v2', version: 'v2.1.0', tools: ['a.dev/one/v2/cmd/x'] },
    { module: 'a.dev/one/v2/sub', version: 'v0.3.0', tools: ['a.dev/one/v2/sub/cmd/y'] },
    { module: 'd.dev/staged', version: 'v0.37.1', tools: [] },
  ]);
});

test('renewManifest() takes later releases of pinned packages only, and never an earlier one', () => {
  const manifest = {
    name: 'x',
    dependencies: { '@own/part': '*', a: '1.9.0', b: '2.0.0' },
    optionalDependencies: { c: '26.10.0' },
  };
  const newest = newestOfOutdated(
    JSON.stringify({
      a: [{ latest: '1.10.0' }, { latest: '1.10.0' }],
      b: { latest: '1.0.0' },
      c: { latest: '26.12.1' },
      d: { latest: '3.0.0-rc.1' },
    }),
  );
  assert.deepEqual(renewManifest(manifest, newest), {
    name: 'x',
    dependencies: { '@own/part': '*', a: '1.10.0', b: '2.0.0' },
    optionalDependencies: { c: '26.12.1' },
  });
  assert.deepEqual([...newest.keys()], ['a', 'b', 'c']);
  assert.deepEqual(newestOfOutdated(''), new Map());
});

test('isLater() is an order of releases by their numbers', () => {
  const version = fc.array(fc.nat(30), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(version, version, (left, right) => {
      const [a, b] = [`v${left.join('.')}`, `v${right.join('.')}`];
      const [difference = 0] = left.map((one, at) => one - (right[at] ?? 0)).filter((one) => one !== 0);
      assert.equal(isLater(a, b), difference > 0);
      assert.equal(isLater(b, a), difference < 0);
    }),
    { seed: 47 },
  );
  assert.deepEqual(
    ['v1.2.3', '1.27', 'v1.6.0-rc.1', 'v0.0.0-20260831232431-97274622c111', '3.x'].map(isRelease),
    [true, true, false, false, false],
  );
  const versions = ['1.26.9', '1.26.10', '1.27rc1', '1.27.0', '1.26.11'];
  assert.deepEqual(laterReleases(versions, 'go1.26.10'), ['1.26.11', '1.27.0']);
});

test('each exception is a version that is locked, with a reason', () => {
  const go = [...goWrappers(checkout).values()].flatMap(({ modules }) => modules);
  const npm = pinnedPackages([...npmManifests(checkout).values()]);
  const locked = [
    ...go.map(({ module, version }) => `go ${module} ${version}`),
    ...[...npm].map(([name, version]) => `npm ${name} ${version}`),
    `go go ${goRelease.version}`,
  ];
  const rows = heldVersions.map(({ kind, name, version }) => `${kind} ${name} ${version}`);
  assert.deepEqual(
    rows.filter((row) => !locked.includes(row)),
    [],
  );
  assert.ok(rows.includes('go k8s.io/kubernetes v1.37.1'));
  assert.equal(new Set(rows).size, rows.length);
  for (const { name, reason } of heldVersions) assert.ok(reason.length > 20, name);
});

test('make update renews every go.mod and manifest of the checkout, and names suites that there are', () => {
  assert.ok(goWrappers(checkout).has('rootfs/go/runc'));
  assert.ok(npmManifests(checkout).has('package.json'));
  const verbs = new Set(suites.map(({ verb }) => verb));
  for (const verb of Object.values(suitesAfter).flat()) assert.ok(verbs.has(verb), verb);
  const makefile = readFileSync(join(checkout, 'Makefile'), 'utf8');
  for (const verb of Object.values(suitesAfter).flat()) assert.match(makefile, new RegExp(`^${verb}:`, 'm'));
});
