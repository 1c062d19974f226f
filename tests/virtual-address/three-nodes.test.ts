// Three control planes compete for the same addresses, with a real etcd, real links and the times that nodes have. What ends is printed
// with the time until the address moved, which no test asserts.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { skipWithoutEtcd, startEtcdCluster, type TestCluster } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';
import type { ContenderInit } from './contender.ts';
import { end, openTestNetwork, reasonToSkip, type TestNetwork, type TestNode } from './open-network.ts';

const skip = reasonToSkip || skipWithoutEtcd();
const inet4 = '10.99.0.99';
const inet6 = 'fd99::99';
const addresses = [inet4, inet6];
const timeoutMs = 120_000;
const watchMs = 20;

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let network: TestNetwork;
let etcd: TestCluster;
const running = new Map<TestNode, ChildProcess>();
const output: string[] = [];
/** Moments at which two links had the same address. */
const conflicts: string[] = [];

before(async () => {
  if (skip) return;
  etcd = scope.use(await startEtcdCluster());
  network = scope.use(await openTestNetwork(3));
  for (const node of network.nodes) start(node);
  scope.defer(async () => void (await Promise.all([...running.values()].map((child) => end(child)))));
  const watch = setInterval(noteConflicts, watchMs);
  scope.defer(() => clearInterval(watch));
});

function start(node: TestNode): void {
  const init: ContenderInit = {
    ...{ hostname: node.name, namespaceOf: node.pid, endpoints: etcd.endpoints, addresses },
    tls: etcd.pki.admin as ContenderInit['tls'],
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'contender.ts')], {
    env: { ...process.env, CONTENDER: JSON.stringify(init) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  running.set(node, child);
}

/**
 * A node that has the address in two reads had it between them as well, so two nodes of which each is found by both reads had it
 * at the same time.
 */
function noteConflicts(): void {
  const read = () => network.nodes.map((node) => node.addresses());
  const [first, second] = [read(), read()];
  for (const ip of addresses) {
    const both = network.nodes.filter(
      (_, index) => first[index]?.includes(ip) === true && second[index]?.includes(ip) === true,
    );
    if (both.length > 1) conflicts.push(`${ip}: ${both.map(({ name }) => name)}`);
  }
}

const ownerOf = (ip: string) => network.nodes.find((node) => node.addresses().includes(ip));
const explain = () => output.join('').slice(-5000);

/** Waits until another node than this one has the address. */
async function nextOwner(ip: string, previous?: TestNode): Promise<TestNode> {
  let owner: TestNode | undefined;
  const isOther = () => {
    owner = ownerOf(ip);
    return owner !== undefined && owner !== previous;
  };
  await eventually(isOther, { what: `another owner of ${ip}`, timeoutMs, explain });
  return owner ?? assert.fail();
}

/** Ends the owner of the address in some way, and prints how long the address was away. */
async function move(what: string, action: (owner: TestNode, child: ChildProcess) => void): Promise<TestNode> {
  const owner = await nextOwner(inet4);
  const began = performance.now();
  action(owner, running.get(owner) ?? assert.fail());
  const next = await nextOwner(inet4, owner);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${what}: the address moved from ${owner.name} to ${next.name} after ${seconds} s\n`);
  assert.deepEqual(conflicts, []);
  return owner;
}

async function restart(node: TestNode): Promise<void> {
  await end(running.get(node) ?? assert.fail());
  start(node);
}

test('one node takes each address, and the network learns where it is', { skip }, async () => {
  const elsewhere = '02:00:00:00:00:01';
  for (const ip of addresses)
    network.ip('neigh', 'replace', ip, 'lladdr', elsewhere, 'dev', 'lan0', 'nud', 'stale');
  for (const ip of addresses) {
    const owner = await nextOwner(ip);
    // The entry of a host that has asked before: only an announcement changes it.
    const known = () => network.ip('neigh', 'show', ip, 'dev', 'lan0');
    await eventually(() => known().includes(owner.hardware), {
      what: `${ip} at ${owner.name}`,
      explain: known,
    });
  }
  assert.deepEqual(conflicts, []);
});

test('the address moves when its owner shuts down', { skip }, async () => {
  const owner = await move('resigned', (_, child) => void child.kill('SIGTERM'));
  assert.equal(owner.addresses().includes(inet4), false);
  await restart(owner);
});

test('the address moves when its owner is killed, and its kernel has removed it before', {
  skip,
}, async () => {
  const owner = await move('killed', (_, child) => void child.kill('SIGKILL'));
  assert.equal(owner.addresses().includes(inet4), false);
  await restart(owner);
});

test('the address moves when its owner stands still, and is not at two nodes when that one goes on', {
  skip,
}, async () => {
  const owner = await move('stopped', (_, child) => void child.kill('SIGSTOP'));
  const before = output.length;
  running.get(owner)?.kill('SIGCONT');
  const released = () => output.slice(before).join('').includes('"released the virtual address"');
  await eventually(released, { what: 'end of the old tenure', explain });
  assert.deepEqual(conflicts, []);
});

test('the address moves when somebody deletes the key of its owner', { skip }, async () => {
  const client = etcd.client();
  await move('deleted', (owner) => {
    void client.list(`talos:v1:vip:election:${inet4}/`).then(async ({ keyValues }) => {
      for (const { key, value } of keyValues)
        if (Buffer.from(value).toString() === owner.name) await client.delete(key);
    });
  });
});

test('a node that starts removes what another machined has left', { skip }, async () => {
  await Promise.all([...running.values()].map((child) => end(child)));
  await eventually(() => ownerOf(inet4) === undefined, { what: 'the end of all lifetimes', timeoutMs });
  const [node = assert.fail()] = network.nodes;
  node.ip('addr', 'add', `${inet4}/32`, 'dev', 'eth0');
  const shown = () => node.ip('addr', 'show', 'dev', 'eth0').replaceAll('\n', ' ');
  const isLeft = () => new RegExp(`${inet4}/32 .{0,60}valid_lft forever`).test(shown());
  assert.equal(isLeft(), true, shown());
  start(node);
  // It may have the address again by now, but then for a limited time.
  await eventually(() => !isLeft(), { what: 'removal', explain: shown });
  assert.deepEqual(conflicts, []);
});
