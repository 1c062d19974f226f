// A node of processes is upgraded, rolled back, and gives a system up that does not come up: with the programs of an artefact, which its
// supervisor starts. Our client and the released one do it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createArtefactSigner } from '@nodewright/installer/testing';
import { eventually } from '@nodewright/testkit';
import { serveLayout } from '../boot/layout-registry.ts';
import { openHome, openProcessCluster, type ProcessCluster } from '../cluster/process/process-cluster.ts';
import { clientProgram, runClient } from '../upstream/run-client.ts';
import { writeProcessArtefact } from './process-artefact.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
/** Beside other work a node takes a minute to start. */
const timeoutMs = 240_000;
/** Of a test with several starts. */
const long = { timeout: 900_000 } as const;
const image = 'registry.test/installer:v1.14.6';
/** How often the released client upgrades the node, in each of its ways. */
const rounds = Number(process.env.REPEAT || 1);
assert.ok(Number.isSafeInteger(rounds) && rounds > 0, 'REPEAT must be a number of rounds');
let cluster: ProcessCluster;
let home: string;

/** Writes an artefact below the folder of the test. */
function artefact(name: string, init: Parameters<typeof writeProcessArtefact>[1]) {
  const folder = join(home, 'artefacts', name);
  mkdirSync(folder, { recursive: true });
  return writeProcessArtefact(folder, init);
}

before(async () => {
  home = scope.use(await openHome()).path;
  const { layout } = artefact('registry', { version: 'v1.14.6' });
  const registry = scope.use(await serveLayout(layout));
  const mirrors = { 'registry.test': { endpoints: [registry.localUrl] } };
  const patch = JSON.stringify({ machine: { registries: { mirrors } } });
  cluster = scope.use(
    await openProcessCluster({ controlPlanes: 1, workers: 0 }, { home, flags: ['--config-patch', patch] }),
  );
});

const call = (...words: string[]) => cluster.talosctl('-n', 'node01', ...words);
async function done(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await call(...words);
  const text = `${words.join(' ')}: ${stdout}${stderr}`;
  assert.equal(exitCode, 0, text);
  return text;
}

/** Waits until the node runs this version in this slot, and has confirmed it. */
async function runs(version: string, slot: 'A' | 'B'): Promise<void> {
  let text = '';
  await eventually(
    async () => {
      const outputs = [await call('version'), await call('get', 'upgradestatuses')];
      text = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
      return text.includes(`Tag:         ${version}`) && text.includes(`${slot}      confirmed`);
    },
    { what: `${version} in slot ${slot}`, timeoutMs, explain: () => text },
  );
}

async function imported(archive: string): Promise<string> {
  const text = await done('image', 'import', '--namespace', 'system', archive);
  const [name] = /localhost\/installer:\S+/.exec(text) ?? [];
  assert.ok(name !== undefined, text);
  return name;
}

const bootId = async () =>
  (await done('read', '/proc/sys/kernel/random/boot_id')).trim().split(/\s/).at(-1) ?? '';

test('a node of processes is upgraded to an imported artefact, and rolled back', long, async () => {
  const local = await imported(artefact('good', { version: 'v1.14.7' }).archive);
  assert.match(
    (await call('image', 'list', '--namespace', 'system')).stdout,
    /localhost\/installer:v1\.14\.7/,
  );
  const before = await bootId();
  await done('upgrade', '--image', local, '--drain=false');
  await runs('v1.14.7', 'B');
  assert.notEqual(await bootId(), before);
  await done('rollback');
  await runs('v1.14.0', 'A');
});

test('a system whose machined ends is given up, and the one before it runs and says why', long, async () => {
  const program = 'process.exit(7);';
  const local = await imported(artefact('broken', { version: 'v1.14.8', program }).archive);
  await call('upgrade', '--image', local, '--drain=false', '--wait=false');
  let text = '';
  await eventually(
    async () => {
      text = (await call('get', 'upgradestatuses', '-o', 'yaml')).stdout;
      return /reason: .*it ended before it was confirmed: exit code 7/.test(text);
    },
    { what: 'the reason', timeoutMs, explain: () => text },
  );
  await runs('v1.14.0', 'A');
  const { root } = cluster.controlPlanes[0] ?? { root: '' };
  assert.ok(!existsSync(join(root, 'boot', 'B')), 'what has failed is removed');
});

test('an artefact that is signed with another key is refused before anything is written', async () => {
  const { archive } = artefact('foreign', { version: 'v1.14.9', signer: createArtefactSigner() });
  const { exitCode, stderr } = await call('image', 'import', '--namespace', 'system', archive);
  assert.equal(exitCode, 1);
  assert.match(stderr, /not signed with a key that this system trusts/);
});

/** The released client, with the talosconfig of the cluster. */
async function released(...words: string[]): Promise<void> {
  const init = { talosconfig: join(home, 'config'), folder: home, timeoutMs };
  const { exitCode, stdout, stderr } = await runClient(['-n', 'node01', ...words], init);
  assert.equal(exitCode, 0, `${words.join(' ')}: exit code ${exitCode}\n${stdout}\n${stderr}`);
}

for (const flags of [[], ['--legacy'], ['--legacy', '--stage']])
  test(`the released client upgrades a node of processes and rolls it back: upgrade --drain=false ${flags.join(' ')}`, {
    skip: existsSync(clientProgram) ? false : 'there is no released client: run make upstream-client',
  }, async (t) => {
    for (let round = 1; round <= rounds; round += 1) {
      await released('upgrade', '-i', image, '--drain=false', '--progress', 'plain', ...flags);
      await runs('v1.14.6', 'B');
      await released('rollback');
      await runs('v1.14.0', 'A');
    }
    t.diagnostic(`${rounds} times`);
  });
