import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { encodeSlotChoice, type Slot, type SlotChoice } from '@nodewright/boot';
import { nextStartOf, takeStart } from './next-start.ts';

const node = { name: 'node01', type: 'controlplane', address: '127.0.0.1' } as const;
const programs = {
  ...{ servicesFolder: '/dist', nodeBinary: '/bin/node' },
  etcd: { etcd: '/tools/etcd', etcdutl: '/tools/etcdutl' },
};

function openNode(choice?: SlotChoice, slots: readonly Slot[] = ['A', 'B']) {
  const root = mkdtempSync(join(tmpdir(), 'node-'));
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, 'boot', path)), { recursive: true });
    writeFileSync(join(root, 'boot', path), content);
  };
  for (const slot of slots) {
    put(`${slot}/SHA256SUMS`, `${'0'.repeat(64)}  bundles/machined/machined.cjs\n`);
    put(`${slot}/roothash`, `${slot.toLowerCase().repeat(64)}\n`);
  }
  if (choice !== undefined) put('choice.json', encodeSlotChoice(choice));
  const errors: unknown[] = [];
  const next = nextStartOf(node, root, {
    programs,
    log: { error: (facts: unknown) => void errors.push(facts) } as never,
  });
  const stored = () => JSON.parse(readFileSync(join(root, 'boot', 'choice.json'), 'utf8'));
  return { root, put, next, errors, stored, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

/** The folder of the bundles in a command line. */
const servicesOf = (command: readonly string[]) => command[command.indexOf('--services-dir') + 1];
const etcdOf = (command: readonly string[]) => command[command.indexOf('--etcd-binary') + 1];

test('a node that was never upgraded runs the programs of its cluster', () => {
  using opened = openNode(undefined, []);
  const { command, environment } = opened.next(undefined);
  assert.equal(servicesOf(command), '/dist');
  assert.deepEqual(environment, { MACHINED_SYSTEM_SLOT: 'none' });
  assert.equal(existsSync(join(opened.root, 'boot')), false);
});

test('what is chosen once is forgotten before it is started, and the next start has the default', () => {
  using opened = openNode({ default: 'A', once: 'B' });
  const { root, next, stored } = opened;
  const first = next('reboot');
  assert.equal(servicesOf(first.command), join(root, 'boot', 'B', 'bundles'));
  assert.deepEqual(first.environment, { MACHINED_SYSTEM_SLOT: 'B', MACHINED_LAST_END: 'reboot' });
  assert.deepEqual(stored(), { default: 'A' });
  const second = next('exit code 7');
  assert.equal(servicesOf(second.command), join(root, 'boot', 'A', 'bundles'));
  assert.deepEqual(second.environment, { MACHINED_SYSTEM_SLOT: 'A', MACHINED_LAST_END: 'exit code 7' });
});

test('only a start of what is chosen once is watched: a mark that was left in a confirmed slot ends no node', () => {
  using opened = openNode({ default: 'A', once: 'B' });
  const { root, put, next } = opened;
  for (const slot of ['A', 'B']) put(`${slot}/trial`, '');
  assert.deepEqual([next('reboot').tried, next('reboot').tried], [join(root, 'boot', 'B'), undefined]);
});

test('a slot runs its own etcd and Kubernetes when it has them', () => {
  using opened = openNode({ default: 'A', once: undefined });
  const { root, put, next } = opened;
  assert.equal(etcdOf(next(undefined).command), '/tools/etcd');
  for (const name of ['etcd/etcd', 'etcd/etcdutl', 'kubernetes/kube']) put(`A/${name}`, '');
  assert.equal(etcdOf(next(undefined).command), join(root, 'boot', 'A', 'etcd', 'etcd'));
  // This cluster has no Kubernetes.
  assert.ok(!next(undefined).command.includes('--kubernetes-dir'));
  const withKubernetes = nextStartOf(node, root, {
    programs: { ...programs, kubernetes: '/tools/kubernetes' },
    log: { error() {} } as never,
  });
  for (const _round of [1, 2]) {
    const { command } = withKubernetes(undefined);
    assert.equal(command[command.indexOf('--kubernetes-dir') + 1], join(root, 'boot', 'A', 'kubernetes'));
  }
  assert.ok(existsSync(join(root, 'boot', 'A', 'kubernetes', 'kube-apiserver')));
});

test('a choice that cannot be forgotten is not started', (t) => {
  using opened = openNode({ default: 'A', once: 'B' });
  const folder = join(opened.root, 'boot');
  // A folder in its place: root may write to files and folders that forbid it.
  mkdirSync(join(folder, 'choice.json.next'));
  const errors: unknown[] = [];
  const { slot, isTried } = takeStart(folder, (error) => errors.push(error));
  assert.deepEqual([slot, isTried], ['A', false]);
  assert.equal(errors.length, 1);
  assert.deepEqual(opened.stored(), { default: 'A', once: 'B' });
  t.diagnostic(String(errors[0]));
});

test('a slot that cannot be read is not started', () => {
  using opened = openNode({ default: 'B', once: undefined });
  rmSync(join(opened.root, 'boot', 'B', 'SHA256SUMS'));
  mkdirSync(join(opened.root, 'boot', 'B', 'SHA256SUMS'));
  assert.equal(servicesOf(opened.next(undefined).command), join(opened.root, 'boot', 'A', 'bundles'));
});

test('a pipe or a link in place of a file is no file of the folder, and keeps the supervisor waiting for nothing', () => {
  for (const path of ['choice.json', 'B/SHA256SUMS', 'B/roothash']) {
    using opened = openNode({ default: 'B', once: undefined });
    const place = join(opened.root, 'boot', path);
    const content =
      path === 'choice.json' ? encodeSlotChoice({ default: 'B', once: 'B' }) : readFileSync(place);
    const start = () => servicesOf(opened.next(undefined).command);
    const slotA = join(opened.root, 'boot', 'A', 'bundles');
    rmSync(place);
    execFileSync('mkfifo', [place]);
    // With a reader and a writer: what is written can be read.
    const both = openSync(place, constants.O_RDWR);
    writeSync(both, content);
    assert.equal(start(), slotA, path);
    closeSync(both);
    // Without one: it would have to be waited for.
    assert.equal(start(), slotA, path);
    rmSync(place);
    opened.put('elsewhere', content);
    symlinkSync(join(opened.root, 'boot', 'elsewhere'), place);
    assert.equal(start(), slotA, path);
  }
});

test('a pipe or a link in place of the next choice is not written, and what is chosen once is not started', () => {
  for (const place of ['link', 'pipe']) {
    using opened = openNode({ default: 'A', once: 'B' });
    const draft = join(opened.root, 'boot', 'choice.json.next');
    opened.put('elsewhere', 'kept');
    if (place === 'link') symlinkSync('elsewhere', draft);
    else execFileSync('mkfifo', [draft]);
    assert.equal(
      servicesOf(opened.next(undefined).command),
      join(opened.root, 'boot', 'A', 'bundles'),
      place,
    );
    assert.equal(readFileSync(join(opened.root, 'boot', 'elsewhere'), 'utf8'), 'kept');
    assert.equal(opened.errors.length, 1);
  }
});
