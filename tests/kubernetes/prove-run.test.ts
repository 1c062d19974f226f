// talosctl machineconfig convert --prove=run: control planes of processes that run one form of a configuration and get the other one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, chown, cp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RunProof } from '@nodewright/node-files';
import { eventually } from '@nodewright/testkit';
import { openHome } from '../cluster/process/process-cluster.ts';
import {
  interruptTalosctl,
  runTalosctl,
  startTalosctl,
  type TalosctlInit,
  talosctlBundle,
} from '../cluster/run-talosctl.ts';
import { generated } from '../contract/config/conversion-corpus.ts';
import { kubectlPath, skipWithoutKubernetes } from './kubernetes-cluster.ts';

const skip = skipWithoutKubernetes();
const scope = new AsyncDisposableStack();
/** The user who runs the tests, unless that is root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
const limitMs = 600_000;
let home: string;
let init: TalosctlInit;

before(async () => {
  if (skip) return;
  home = scope.use(await openHome(user)).path;
  const programs = await programsFor(scope.use(await openHome()).path);
  const environment = { TMPDIR: home, NODEWRIGHT_ETCD: '', ...programs.environment };
  init = { ...programs, home, ...(user && { user }), environment, timeoutMs: limitMs };
  await file('old.yaml', generated(13));
});
after(() => scope.disposeAsync());

/** What a user who cannot read the checkout needs of it. */
async function programsFor(folder: string): Promise<Partial<TalosctlInit>> {
  const words = [talosctlBundle, 'version', '--client'];
  if (user === undefined || spawnSync(process.execPath, words, { ...user, cwd: '/' }).status === 0) return {};
  const tools = dirname(dirname(kubectlPath));
  await chmod(folder, 0o755);
  await cp(dirname(dirname(talosctlBundle)), join(folder, 'dist'), { recursive: true });
  await cp(process.execPath, join(folder, 'node'));
  for (const name of ['kubernetes', 'etcd'])
    await cp(realpathSync(join(tools, name)), join(folder, 'tools', name), {
      recursive: true,
      dereference: true,
    });
  return { bundle: join(folder, 'dist', 'talosctl', 'talosctl.cjs'), nodeBinary: join(folder, 'node') };
}

async function file(name: string, text: string): Promise<void> {
  const path = join(home, name);
  await writeFile(path, text);
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

const words = () => ['machineconfig', 'convert', join(home, 'old.yaml'), '--to', '1.14', '--prove=run'];

/** Processes of clusters of this test. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        const owned = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`NODEWRIGHT_CLUSTER=${home}/`);
        return owned && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
}
const folders = () => readdirSync(home).filter((name) => name.startsWith('talosctl-prove-'));

test('a conversion runs as an ordinary user: API servers alone restart, one answers always, and nothing is left', {
  skip,
}, async () => {
  const { stdout, stderr, exitCode } = await runTalosctl([...words(), '--json'], init);
  assert.equal(exitCode, 0, `${stderr}\n${stdout}`);
  const [{ proven, run }] = JSON.parse(stdout).configurations as [{ proven: boolean; run: RunProof }];
  assert.equal(proven, true);
  const services = (outcome: string) =>
    run.processes.filter((each) => each.outcome === outcome).map(({ node, service }) => `${node} ${service}`);
  const nodes = ['node01', 'node02', 'node03'];
  assert.deepEqual(
    services('restarted'),
    nodes.map((node) => `${node} kube-apiserver`),
  );
  for (const { outcome, differs } of run.processes)
    if (outcome === 'restarted') assert.ok(differs.includes('--anonymous-auth'), differs.join(' '));
  const kept = services('kept');
  assert.equal(kept.length, run.processes.length - 3);
  for (const node of nodes)
    for (const service of ['apid', 'etcd', 'kube-controller-manager', 'kube-scheduler', 'machined', 'trustd'])
      assert.ok(kept.includes(`${node} ${service}`), `${node} ${service}`);
  const { requests, seconds, unanswered, answeredBy } = run.availability;
  assert.equal(unanswered, 0);
  // Each API server is away for a time, and the requests come at the agreed rate.
  assert.ok(requests > 100 && Math.abs(requests / seconds - 10) < 1, `${requests} in ${seconds} s`);
  assert.ok(
    answeredBy.every((count) => count > 0 && count < requests),
    answeredBy.join(' '),
  );
  assert.ok(run.replaced.some(({ key, reason }) => key === 'cluster.ca' && reason === 'secrets'));
  assert.ok(run.notShown.some((line) => line.startsWith('disks')));
  assert.match(stderr, /^node03 takes the new configuration \d+\.\d+s$/m);
  assert.deepEqual([processes(), folders()], [[], []]);
});

test('after Ctrl-C the cluster is destroyed, and the last line says so', { skip }, async () => {
  const child = startTalosctl(words(), { ...init, ownGroup: true });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  await eventually(() => /3 nodes answer/.test(stderr), { what: 'nodes that answer', timeoutMs: limitMs });
  assert.ok(processes().length > 3);
  interruptTalosctl(child);
  const [exitCode] = await closed;
  assert.equal(exitCode, 1, stderr);
  assert.match(stderr, /\ncancelled: the cluster of processes is destroyed, and nothing is proven\n$/);
  assert.deepEqual([processes(), folders()], [[], []]);
});

test('when the command is killed, its cluster ends, too', { skip }, async () => {
  const child = startTalosctl(words(), init);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  await eventually(() => /3 nodes answer/.test(stderr), { what: 'nodes that answer', timeoutMs: limitMs });
  child.kill('SIGKILL');
  await closed;
  await eventually(() => processes().length === 0, { what: 'the end of the cluster', timeoutMs: 60_000 });
});
