// A cluster of one virtual machine, from its creation to its destruction.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { noMachine as skip } from './machine.ts';

const program = join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'talosctl.cjs');
const home = mkdtempSync(join(tmpdir(), 'machine-cluster-'));

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function talosctl(...words: string[]): Promise<Ended> {
  const env = { ...process.env, TALOS_HOME: home, TALOSCONFIG: join(home, 'config') };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : 1, stdout, stderr }),
    );
  });
}

async function succeeds(...words: string[]): Promise<Ended> {
  const ended = await talosctl(...words);
  assert.equal(ended.exitCode, 0, `talosctl ${words.join(' ')}: ${ended.stderr}`);
  return ended;
}

async function show() {
  return JSON.parse((await succeeds('cluster', 'show', '--name', 'm', '-o', 'json')).stdout);
}

/** A process that nobody has waited for yet has ended, too. */
function hasEnded(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return !existsSync(path) || / Z \d/.test(readFileSync(path, 'utf8'));
}

after(async () => {
  await talosctl('cluster', 'destroy', '--name', 'm', '--force');
  rmSync(home, { recursive: true, force: true });
});

test('a cluster of one machine is created, reboots, stops, and leaves nothing behind', { skip }, async () => {
  const created = await succeeds('cluster', 'create', 'qemu', '--name', 'm', '-o', 'json');
  const { outcome, cluster } = JSON.parse(created.stdout);
  assert.deepEqual([outcome, cluster.provisioner, cluster.state], ['created', 'qemu', 'running']);
  assert.match(created.stderr, /^configuration applied \d/m);
  assert.match(created.stderr, /^node01 votes in etcd \d/m);
  assert.match(created.stderr, /^cluster "m": 1 node answers after /m);
  const [node] = cluster.nodes;
  assert.match(node.published, /^127\.0\.0\.1:\d+$/);

  assert.match((await succeeds('version')).stdout, /Enabled: +RBAC/);
  const read = async (...words: string[]) => (await succeeds('-n', node.address, ...words)).stdout;
  assert.match(await read('get', 'timeservers', '-o', 'yaml'), /10\.0\.2\.2:\d+/);
  await eventually(async () => /synced: true/.test(await read('get', 'timestatus', '-o', 'yaml')), {
    what: 'a clock that the time server of the cluster has set',
    timeoutMs: 300_000,
  });
  assert.equal((await read('read', '/proc/sys/kernel/hostname')).trim(), 'node01');
  const again = await talosctl('cluster', 'create', 'qemu', '--name', 'm');
  assert.match(again.stderr, /^error: cluster "m" already runs/m);

  const bootId = async () =>
    (await succeeds('-n', node.address, 'read', '/proc/sys/kernel/random/boot_id')).stdout;
  const before = await bootId();
  // The boot of a control plane is complete when its etcd runs.
  await succeeds('-n', node.address, 'reboot');
  assert.notEqual(await bootId(), before);
  const rebooted = await show();
  assert.equal(rebooted.nodes[0].pid, node.pid, 'the emulator is the same process');

  await succeeds('cluster', 'stop', '--name', 'm');
  assert.equal((await show()).state, 'stopped');
  await eventually(() => hasEnded(node.pid), { what: 'the end of the emulator' });
  const console = readFileSync(join(cluster.folder, 'node01.log'), 'utf8');
  assert.match(console, /reboot: Power down/, 'the machine was shut down before its power ended');

  await succeeds('cluster', 'destroy', '--name', 'm');
  assert.ok(!existsSync(cluster.folder));
});
