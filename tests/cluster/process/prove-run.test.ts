// talosctl machineconfig convert --prove=run where it cannot start a cluster: it says what to do, and leaves nothing.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { generated } from '../../contract/config/conversion-corpus.ts';
import { runTalosctl, type TalosctlInit, talosctlBundle } from '../run-talosctl.ts';
import { openHome } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let home: string;
before(async () => {
  home = scope.use(await openHome()).path;
  writeFileSync(join(home, 'old.yaml'), generated(13));
  writeFileSync(join(home, 'worker.yaml'), generated(13, 'worker'));
});
after(() => scope.disposeAsync());

const convert = (words: readonly string[], init: Partial<TalosctlInit> = {}) =>
  runTalosctl(['machineconfig', 'convert', '--to', '1.14', ...words], {
    ...{ home, timeoutMs: 120_000, ...init },
    environment: { TMPDIR: home, ...init.environment },
  });
const path = (name: string) => join(home, name);
const left = () => readdirSync(home).filter((name) => !/^(?:old|worker)\.yaml$|^(?:build|empty)$/.test(name));

test('--prove=run names the make verb when Kubernetes is not built', async () => {
  const dist = join(home, 'build', 'dist');
  await cp(dirname(dirname(talosctlBundle)), dist, { recursive: true });
  const bundle = join(dist, 'talosctl', 'talosctl.cjs');
  const { exitCode, stdout, stderr } = await convert([path('old.yaml'), '--prove=run'], { bundle });
  assert.deepEqual([exitCode, stdout], [1, '']);
  assert.match(stderr, /^error: cannot run ".*old\.yaml": Kubernetes is not built: run make kubernetes/m);
  assert.deepEqual(left(), []);
});

test('--prove=run names the folder that lacks the programs of Kubernetes', async () => {
  mkdirSync(path('empty'));
  const environment = { NODEWRIGHT_KUBERNETES: path('empty') };
  const { exitCode, stderr } = await convert([path('old.yaml'), '--prove=run'], { environment });
  assert.equal(exitCode, 1);
  assert.match(stderr, /NODEWRIGHT_KUBERNETES is .*\/empty, which lacks kube-apiserver/);
  assert.deepEqual(left(), []);
});

test('--prove=run refuses a worker before anything starts, and --prove takes a value only after an equals sign', async () => {
  const worker = await convert([path('old.yaml'), path('worker.yaml'), '-o', path('out/'), '--prove=run']);
  assert.deepEqual([worker.exitCode, worker.stdout], [1, '']);
  assert.match(worker.stderr, /cannot run ".*worker\.yaml": it is the configuration of a worker/);
  const plain = await convert(['--prove', path('old.yaml')]);
  assert.equal(plain.exitCode, 0, plain.stderr);
  assert.match(plain.stdout, /\nevery difference has a named cause\n$/);
  for (const words of [['--prove=walk'], ['--prove=run', '--patch']]) {
    const { exitCode, stdout } = await convert([path('old.yaml'), ...words]);
    assert.deepEqual([exitCode, stdout], [1, ''], words.join(' '));
  }
  assert.deepEqual(left(), []);
});
