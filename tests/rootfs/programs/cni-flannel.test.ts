// The CNI plugin `flannel` of nodes: what it asks of `bridge`, and what it remembers for the removal of a pod.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { nativeArchitecture } from '@nodewright/build';
import { ensureRootProgram } from '../../../rootfs/go/ensure-root-program.ts';
import { checkout } from '../../cluster/run-talosctl.ts';

const work = mkdtempSync(join(tmpdir(), 'cni-flannel-'));
after(() => rmSync(work, { recursive: true }));
const { program, skip } = await prepare();

async function prepare(): Promise<{ program: string; skip: string | false }> {
  const workshop = { checkout, work, architecture: nativeArchitecture() };
  try {
    const folder = await ensureRootProgram('cni-flannel', workshop, () => {});
    return { program: join(folder, 'flannel'), skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { program: '', skip: error.message };
  }
}

const subnet = join(work, 'subnet.env');
const called = join(work, 'called');
const data = join(work, 'data');
const node = ['10.244.0.0/16', '10.244.3.1/24', 1450, true] as const;

/** Stands for `bridge`: keeps the command and the configuration that it was called with. */
const bridge = `#!/bin/sh
if [ -e ${work}/fails ]; then echo '{"cniVersion":"1.0.0","code":999,"msg":"no bridge"}'; exit 1; fi
{ echo "$CNI_COMMAND"; cat; } > ${called}
[ "$CNI_COMMAND" != ADD ] || echo '{"cniVersion":"1.0.0","ips":[{"address":"10.244.3.7/24"}]}'
`;
writeFileSync(join(work, 'bridge'), bridge, { mode: 0o755 });

function writeSubnet([network, own, mtu, masks]: readonly [string, string, number, boolean]): void {
  const lines = [`NETWORK=${network}`, `SUBNET=${own}`, `MTU=${mtu}`, `IPMASQ=${masks}`];
  writeFileSync(subnet, lines.map((line) => `FLANNEL_${line}\n`).join(''));
}

const environment = (command: string) => ({
  ...{ CNI_COMMAND: command, CNI_CONTAINERID: 'pod1', CNI_IFNAME: 'eth0', CNI_PATH: work },
  // The plugin of a pod's network sees the one of the host here, which it only hands on.
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
});

function inputOf(delegate: object, subnetWaitMs: number): string {
  const input = { cniVersion: '1.0.0', name: 'cbr0', type: 'flannel', delegate, subnetWaitMs };
  return JSON.stringify({ ...input, subnetFile: subnet, dataDir: data });
}

function run(command: string, delegate: object = { hairpinMode: true, isDefaultGateway: true }) {
  rmSync(called, { force: true });
  const { status, stdout } = spawnSync(program, {
    input: inputOf(delegate, 0),
    encoding: 'utf8',
    env: environment(command),
  });
  const [calledWith, config] = existsSync(called) ? readFileSync(called, 'utf8').split(/\n(.*)/s) : [];
  return {
    ...{ status, answer: stdout === '' ? undefined : JSON.parse(stdout), calledWith },
    config: config === undefined ? undefined : JSON.parse(config),
  };
}

test('a pod gets the subnet and the MTU of the node, and is removed with what it was added with', {
  skip,
}, () => {
  writeSubnet(node);
  const added = run('ADD');
  assert.deepEqual([added.status, added.calledWith], [0, 'ADD']);
  assert.deepEqual(added.answer.ips, [{ address: '10.244.3.7/24' }]);
  assert.deepEqual(added.config, {
    ...{ cniVersion: '1.0.0', name: 'cbr0', type: 'bridge', mtu: 1450 },
    ...{ hairpinMode: true, isDefaultGateway: true, isGateway: true, ipMasq: false },
    ipam: {
      type: 'host-local',
      ranges: [[{ subnet: '10.244.3.0/24' }]],
      routes: [{ dst: '10.244.0.0/16' }],
    },
  });
  writeSubnet(['10.244.0.0/16', '10.244.9.1/24', 1400, true]);
  const removed = run('DEL');
  assert.deepEqual([removed.status, removed.calledWith, removed.config], [0, 'DEL', added.config]);
  const again = run('DEL');
  assert.deepEqual([again.status, again.calledWith], [0, undefined]);
});

test('fields of the configuration win over those of the node, and the bridge masks when flanneld does not', {
  skip,
}, () => {
  writeSubnet([node[0], node[1], node[2], false]);
  assert.equal(run('ADD').config.ipMasq, true);
  assert.equal(run('ADD', { mtu: 900 }).config.mtu, 900);
});

test('it refuses what it cannot do, and calls nothing', { skip }, () => {
  for (const wrong of [{ name: 'other' }, { cniVersion: '0.1.0' }, { type: 1 }, { ipam: 'dhcp' }]) {
    const { status, answer, calledWith } = run('ADD', wrong);
    assert.deepEqual([status, calledWith], [1, undefined], JSON.stringify(wrong));
    assert.match(answer.msg, /delegate/);
  }
  writeFileSync(subnet, 'FLANNEL_SUBNET=10.244.3.1\n');
  assert.match(run('ADD').answer.msg, /FLANNEL_SUBNET/);
  rmSync(subnet);
  assert.match(run('ADD').answer.msg, /flanneld has not written the subnet of this node/);
});

test('a pod waits for flanneld to write the subnet of the node', { skip }, async () => {
  rmSync(subnet, { force: true });
  const child = spawn(program, { env: environment('ADD'), stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdout.resume();
  child.stdin.end(inputOf({}, 600_000));
  // Time to look once, without which the test passes as well.
  await setTimeout(200);
  writeSubnet(node);
  assert.deepEqual(await ended, [0, null]);
  assert.equal(run('DEL', {}).status, 0);
});

test('a pod whose removal fails stays known until it succeeds', { skip }, () => {
  writeSubnet(node);
  run('ADD');
  writeFileSync(join(work, 'fails'), '');
  const failed = run('DEL');
  assert.equal(failed.status, 1);
  assert.match(failed.answer.msg, /no bridge/);
  rmSync(join(work, 'fails'));
  assert.equal(run('DEL').calledWith, 'DEL');
});
