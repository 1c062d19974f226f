// Upstream's released client ends machines and follows each action to its end: `REPEAT=20` does all of them
// twenty times.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { type Action, actions as all } from './checks/actions.ts';
import { chosenProvisioner, openSubject, type Subject } from './subject.ts';

const provisioner = chosenProvisioner();
const rounds = Number(process.env.REPEAT || 1);
/** One machine is the whole cluster: it ends with a reset. */
const actions = provisioner === 'qemu' ? all.filter(({ keepsData }) => keepsData) : all;
/** The processor of an emulated machine is ten times slower. */
const limits =
  provisioner === 'qemu'
    ? { action: '8m', clientMs: 500_000, runsMs: 600_000, testMs: 1_500_000 }
    : { action: '80s', clientMs: 100_000, runsMs: 180_000, testMs: 150_000 };
const scope = new AsyncDisposableStack();
const ended = new Map<string, number>();
let subject: Subject;

before(async () => {
  subject = scope.use(await openSubject(provisioner, { controlPlanes: 1 }));
  const { stdout } = await subject.client(['-n', '{worker}', 'read', '/system/state/config.yaml']);
  await writeFile(join(subject.folder, 'worker.yaml'), stdout);
});
after(async () => {
  for (const { name } of actions)
    process.stdout.write(`${provisioner}: ${name} ended ${ended.get(name) ?? 0} of ${rounds} times\n`);
  await scope.disposeAsync();
});

/** By address, because the node has left its cluster and lost its name. */
const isRunning = async () => {
  const words = ['-n', '{worker.address}', 'get', 'machinestatus', '-o', 'jsonpath={.spec.stage}'];
  return (await subject.client(words)).stdout.startsWith('running');
};
const runs = () => eventually(isRunning, { what: 'a running worker', timeoutMs: limits.runsMs });

/** The client may end a moment before the machine is off. */
async function isOff(): Promise<boolean> {
  const show = ['cluster', 'show', '--name', subject.cluster.name, '-o', 'json'];
  const { nodes } = JSON.parse((await subject.cluster.talosctl(...show)).stdout);
  return nodes.some(
    ({ type, state }: Record<string, unknown>) => type === subject.worker.type && state !== 'running',
  );
}

/** Switches the machine on again, by means of the provisioner. */
async function switchOn(): Promise<void> {
  await eventually(isOff, { what: 'machine that is off' });
  const size = provisioner === 'qemu' ? [] : ['--controlplanes', '1', '--workers', '1'];
  const { exitCode, stderr } = await subject.cluster.talosctl(
    ...['cluster', 'create', '--provisioner', provisioner, ...size, '--if-absent'],
    ...['--name', subject.cluster.name],
  );
  // A worker that was reset is no member, so it is enough that it is on.
  assert.ok(
    exitCode === 0 || /maintenance|machine configuration|does not answer|not among/.test(stderr),
    stderr,
  );
}

async function configure(): Promise<void> {
  const apply = ['apply-config', '-i', '-n', '{worker.address}', '-f', '{folder}/worker.yaml'];
  const isApplied = async () => (await subject.client(apply)).exitCode === 0;
  await eventually(isApplied, { what: 'a node that takes its configuration', timeoutMs: 180_000 });
}

const returns: Readonly<Record<Action['leaves'], () => Promise<void>>> = {
  running: async () => {},
  off: switchOn,
  maintenance: configure,
  'off and empty': async () => {
    await switchOn();
    await configure();
  },
};

for (let round = 1; round <= rounds; round += 1) {
  for (const { name, words, leaves, prints } of actions) {
    test(`${provisioner}: ${name} --wait ends (${round} of ${rounds})`, {
      timeout: limits.testMs,
    }, async () => {
      await runs();
      const { exitCode, stdout, stderr } = await subject.client(
        [...words.split(' '), '--timeout', limits.action],
        {
          timeoutMs: limits.clientMs,
        },
      );
      // Without a terminal the client prints progress on standard error.
      const said = `${stdout}${stderr}`;
      assert.equal(exitCode, 0, said);
      for (const text of prints) assert.match(said, text);
      await returns[leaves]();
      await runs();
      ended.set(name, (ended.get(name) ?? 0) + 1);
    });
  }
}

test(`${provisioner}: the worker is a member at the end, with its original configuration`, async () => {
  await runs();
  // By its name, which the control plane knows a moment after the worker has joined.
  let stdout = '';
  const isMember = async () => {
    const answer = await subject.client(['-n', '{worker}', 'read', '/system/state/config.yaml']);
    stdout = answer.stdout;
    return answer.exitCode === 0;
  };
  await eventually(isMember, { what: 'a worker that is a member by its name', timeoutMs: 100_000 });
  assert.equal(stdout, await readFile(join(subject.folder, 'worker.yaml'), 'utf8'));
});
