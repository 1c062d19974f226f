// talosctl wipe disk: what it requests from nodes, and what it prints.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockDeviceWipeRequest, BlockDeviceWipeResponse } from '@nodewright/contract/gen/storage/storage.ts';
import { pointerTo } from '@nodewright/state';
import { discoveredVolumes } from '@nodewright/state/kinds';
import { healthyCluster, reply } from './replies.ts';
import { runAtTerminal } from './run-at-terminal.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const asked: (readonly [string | undefined, BlockDeviceWipeRequest])[] = [];
const store = await openNodeStore(
  [discoveredVolumes],
  [
    {
      ...pointerTo(discoveredVolumes, 'vdb'),
      spec: {
        ...discoveredVolumes.codec.fromProto(new Uint8Array()),
        ...{ name: 'ext4', label: 'pho\x1b[2Jtos', pretty_size: '1 TB' },
      },
    },
  ],
);
const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers([discoveredVolumes], () => store),
  '/storage.StorageService/BlockDeviceWipe': (call) => {
    asked.push([call.node, BlockDeviceWipeRequest.decode(call.request)]);
    if (call.node === 'node02') return call.fail(9, 'block device "vda5" is in use by volume "EPHEMERAL"');
    reply(call, BlockDeviceWipeResponse, { messages: [{}] });
  },
});

const none = { method: 0, dropPartition: false, skipVolumeCheck: false, skipSecondaryCheck: false };

test('wipe disk requests exactly what its flags select, and prints nothing', async () => {
  const result = await suite.run('-n', 'node01', 'wipe', 'disk', 'vdb', 'vdc1');
  assert.deepEqual(result, { stdout: '', stderr: '', exitCode: 0 });
  const devices = ['vdb', 'vdc1'];
  assert.deepEqual(asked.pop(), ['node01', { devices: devices.map((device) => ({ device, ...none })) }]);
  const flags = ['--method', 'zeroes', '--drop-partition', '--skip-volume-check', '--skip-secondary-check'];
  const document = await suite.run('wipe', 'disk', 'vdc1', '-n', 'node01', ...flags, '-o', 'json');
  assert.deepEqual(JSON.parse(document.stdout), [{ node: 'node01', done: true, devices: ['vdc1'] }]);
  const all = { method: 1, dropPartition: true, skipVolumeCheck: true, skipSecondaryCheck: true };
  assert.deepEqual(asked.pop(), ['node01', { devices: [{ device: 'vdc1', ...all }] }]);
});

test('wipe disk prints why a node refused', async () => {
  const { stderr, exitCode } = await suite.run('wipe', 'disk', 'vda5', '-n', 'node01,node02', '--yes');
  assert.equal(exitCode, 1);
  assert.equal(
    stderr,
    'error from node node02: rpc error: code = FailedPrecondition desc = block device "vda5" is in use by volume "EPHEMERAL"\n',
  );
  assert.equal(asked.length, 2);
});

test('wipe disk checks its words before it calls a node', async () => {
  asked.length = 0;
  for (const [words, message] of [
    [['vdb', '--method', 'slow'], /option --method must be FAST or ZEROES, not "slow"/],
    [[], /argument <devices> is missing/],
  ] as const) {
    const { stderr, exitCode } = await suite.run('wipe', 'disk', '-n', 'node01', ...words);
    assert.match(stderr, message);
    assert.equal(exitCode, 1);
  }
  assert.deepEqual(asked, []);
});

test('the help of wipe disk leaves out the flags that skip checks', async () => {
  const { stdout } = await suite.run('wipe', 'disk', '--help');
  assert.match(stdout, /--drop-partition/);
  assert.match(stdout, /--insecure/);
  assert.doesNotMatch(stdout, /skip-/);
});

test('wipe disk shows what was found on the disks before it asks', async () => {
  asked.length = 0;
  const shown = await runAtTerminal(['-n', 'node01', 'wipe', 'disk', 'vdb', 'vdc'], {
    environment: { TALOSCONFIG: suite.talosconfig },
    cwd: import.meta.dirname,
    reactions: ['no'],
  });
  assert.match(shown.stderr, /node01 vdb: ext4 "pho.*tos", 1 TB/);
  assert.ok(!shown.stderr.includes('\x1b[2J'), 'a label clears the screen');
  assert.match(shown.stderr, /node01 vdc: nothing known/);
  assert.equal(shown.exitCode, 1);
  assert.deepEqual(asked, []);
});
