// Tests that pass for another reason than their own: any error will do, no file was found, or a limit is compared with itself. Each list of
// exceptions is exact, so it can only become shorter.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSources } from '../../tools/mutate/parse-sources.ts';
import { findWeakAssertions, type WeakAssertions } from './assertions/find-weak-assertions.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** How many `assert.rejects` and `assert.throws` of a file say nothing about the error. New ones give a reason. */
const anyError: Readonly<Record<string, number>> = {
  'packages/rpc/src/rpc-server.test.ts': 2,
  'services/machined/src/etcd/service/etcd-membership.test.ts': 2,
  'services/machined/src/kubernetes/host/apply-manifests.test.ts': 1,
  'services/machined/src/kubernetes/host/kube-prism.test.ts': 1,
  'services/machined/src/upgrade-plan/host/node-turn.test.ts': 1,
  'services/machined/src/upgrade/host/artefact-store.test.ts': 1,
  'services/machined/src/upgrade/host/loader-variable-files.test.ts': 1,
  'services/machined/src/volumes/host/volumes-elsewhere.test.ts': 5,
  'tests/boot/network/renewal.test.ts': 1,
  'tests/boot/watchdog.test.ts': 1,
  'tests/cluster/process/etcd.test.ts': 1,
  'tests/contract/apid/interop.test.ts': 1,
  'tests/contract/machined/containers.test.ts': 1,
  'tests/contract/machined/files-read.test.ts': 1,
  'tests/contract/machined/provider-calls.test.ts': 1,
  'tests/contract/registryd/crash.test.ts': 1,
  'tests/contract/registryd/management.test.ts': 1,
  'tests/contract/registryd/pull-through.test.ts': 2,
  'tests/contract/talosctl/kubeconfig.test.ts': 2,
  'tests/rootfs/iso.test.ts': 1,
};

/** Loops over files that may be none, with the reason. */
const maybeEmpty: Readonly<Record<string, string>> = {
  'packages/extensions/src/random-archives.property.test.ts': 'an archive may have no file',
  'tests/contract/registryd/crash.test.ts': 'a cache that was killed early is empty',
};

/** Bounds from the code under test, with the reason. */
const borrowedBounds: Readonly<Record<string, string>> = {
  'packages/linux/src/bounded-calls.test.ts': 'the relation of two constants',
  'tests/house/pictures.test.ts': 'the budget of files that are committed, which is no limit of a program',
  'services/apid/src/gateway/fan-out.test.ts': 'the size of a test, which has to exceed the budget by little',
};

test('the search finds errors, files and limits that may be anything', () => {
  const text = `import { limits, mostBytes, open } from './code.ts';
import { frame } from '@nodewright/h2';
const files = globSync('*.ts').filter(isWanted);
const counted = await readdir(folder);
test('a', async () => {
  await assert.rejects(open());
  await assert.rejects(open(), { kind: 'not-found' });
  assert.throws(() => open(1));
  for (const file of files) assert.match(file, /x/);
  for (const file of globSync('*.md')) test(file, () => {});
  for (const file of files) count(file);
  assert.ok(counted.length > 3);
  for (const file of counted.sort()) assert.ok(file);
  assert.ok(used() <= mostBytes + frame.bytes);
  assert.ok(limits.calls >= counted.length, 'text');
  assert.ok(2 * mostBytes < limits.bytes);
  assert.ok(mostBytes >= 900);
  assert.ok(used() <= 1024);
});`;
  using parsed = parseSources(new Map([['a.ts', text]]));
  assert.deepEqual(findWeakAssertions(parsed.treeOf('a.ts')), {
    anyError: [6, 8],
    maybeEmpty: [9, 10],
    borrowedBounds: [14, 15],
  });
});

const files = globSync('{packages,services,cli,tests,tools,rootfs}/**/*.test.ts', {
  cwd: checkout,
  exclude: (path) => path.endsWith('node_modules'),
}).sort();

function findAll(): ReadonlyMap<string, WeakAssertions> {
  using parsed = parseSources(
    new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')])),
  );
  return new Map(files.map((file) => [file, findWeakAssertions(parsed.treeOf(file))]));
}

const found = findAll();

/** `file:line` of each finding, except in the excepted files; and exceptions without a finding. */
const findings = (kind: keyof WeakAssertions, exceptions: Readonly<Record<string, string>>) => [
  ...[...found].flatMap(([file, weak]) =>
    file in exceptions ? [] : weak[kind].map((line) => `${file}:${line}`),
  ),
  ...Object.keys(exceptions).filter((file) => (found.get(file)?.[kind].length ?? 0) === 0),
];

test('each test of an error says which error it is', () => {
  assert.ok(files.length > 1300, `${files.length} files`);
  const counts = [...found].map(([file, weak]) => [file, weak.anyError.length] as const);
  assert.deepEqual(Object.fromEntries(counts.filter(([, count]) => count > 0)), anyError);
});

test('each loop over files that were found checks that there are some', () => {
  assert.deepEqual(findings('maybeEmpty', maybeEmpty), []);
});

test('a limit is compared with a number, and not with the constant that it is made of', () => {
  assert.deepEqual(findings('borrowedBounds', borrowedBounds), []);
});
