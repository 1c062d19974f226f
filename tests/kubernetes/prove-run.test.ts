// talosctl machineconfig convert --prove=run: three control planes of processes take the converted configuration, one after the other.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { processesOf } from '../cluster/process/leftovers.ts';
import { openHome } from '../cluster/process/process-cluster.ts';
import { runTalosctl } from '../cluster/run-talosctl.ts';
import { generated } from '../contract/config/conversion-corpus.ts';
import { skipWithoutKubernetes } from './kubernetes-cluster.ts';

const skip = skipWithoutKubernetes();
const scope = new AsyncDisposableStack();
let home: string;
before(async () => {
  home = scope.use(await openHome()).path;
});
after(() => scope.disposeAsync());

const nodes = ['node01', 'node02', 'node03'];
/** A start of the cluster, and the time that each node may take to act on its configuration. */
const timeoutMs = 1_200_000;

test('a conversion keeps the processes of equal services, and an API server answers at each moment', {
  skip,
}, async (context) => {
  writeFileSync(join(home, 'old.yaml'), generated(13));
  const words = ['machineconfig', 'convert', join(home, 'old.yaml'), '--to', '1.14', '--prove=run'];
  // Its clusters have etcd, whatever the environment of the tests says.
  const environment = { TMPDIR: home, NODEWRIGHT_ETCD: '' };
  const { exitCode, stdout, stderr } = await runTalosctl(words, { home, environment, timeoutMs });
  assert.equal(exitCode, 0, `${stderr}\n${stdout}`);
  assert.doesNotMatch(stdout, /^WRONG: /m);

  const restarted = stdout.match(/(?<=^restarted: ).*?(?= is process)/gm);
  // The document writes out the size of the nodes' networks, which is another flag of the controller manager.
  const replaced = ['kube-apiserver', 'kube-controller-manager'];
  const expected = nodes.flatMap((node) => replaced.map((service) => `${node}: ${service}`));
  assert.deepEqual(restarted?.toSorted(), expected, stdout);
  for (const node of nodes)
    for (const service of ['kube-scheduler', 'etcd'])
      assert.match(stdout, new RegExp(`^kept: ${node}: ${service} is still process \\d+$`, 'm'));

  const asked = /^answered: (\d+) requests in ([\d.]+) s, each to 3 API servers \(answered: ([\d, ]+)\): /m;
  const [line = '', requests, seconds, answers = ''] = asked.exec(stdout) ?? [];
  assert.notEqual(line, '', stdout);
  const rate = Number(requests) / Number(seconds);
  assert.ok(rate > 5 && rate < 15, line);
  // Each server was away for a while: otherwise nothing of this was put to the test.
  for (const count of answers.split(', ')) {
    assert.ok(Number(count) > 0, line);
    assert.ok(Number(count) < Number(requests), line);
  }
  const times =
    /^the cluster started in [\d.]+ s(?:, node0\d took the new configuration in [\d.]+ s){3}, all in [\d.]+ s$/m;
  const [time] = times.exec(stdout) ?? [];
  assert.ok(time !== undefined, stdout);
  context.diagnostic(line);
  context.diagnostic(time);
  assert.deepEqual([readdirSync(home), processesOf(home)], [['old.yaml'], []]);
});
