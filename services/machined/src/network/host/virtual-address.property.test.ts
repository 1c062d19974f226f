// Several control planes compete for one address, in simulated networks where anything may fail at any time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SimulatedElection } from '../testing/simulated-election.ts';

const actions = [
  ...['freeze', 'thaw', 'kill', 'start', 'resign', 'disconnect', 'connect', 'etcdDown', 'etcdUp'],
  ...['refuse', 'allow'],
] as const;
type Action = (typeof actions)[number];

const step = fc.record({
  action: fc.constantFrom(...actions),
  node: fc.nat(2),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
});
/** Delays, as parts of the longest one. */
const randoms = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
const runs = {
  numRuns: 100,
  ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }),
};

function perform(world: SimulatedElection, action: Action, index: number): void {
  const node = world.nodes[index] ?? assert.fail();
  if (action === 'disconnect' || action === 'connect') node.isConnected = action === 'connect';
  else if (action === 'refuse' || action === 'allow') node.isStubborn = action === 'refuse';
  else if (action === 'etcdDown' || action === 'etcdUp') world.isEtcdUp = action === 'etcdUp';
  else node[action]();
}

test('at no instant two links have the address, and in the end one has it', async () => {
  const example = fc.asyncProperty(fc.array(step, { maxLength: 25 }), randoms, async (steps, delays) => {
    const world = new SimulatedElection(3, () => delays.next().value);
    for (const node of world.nodes) node.start();
    const owners = () => world.nodes.filter(({ hasAddress }) => hasAddress).map(({ name }) => name);
    const check = () => assert.ok(owners().length <= 1, `${owners()} at ${world.timers.now()} ms`);
    for (const { action, node, afterMs } of steps) {
      await world.advance(afterMs, check);
      perform(world, action, node);
      await world.advance(0, check);
    }
    // Everything works again, except that the last action may have ended two nodes for ever.
    world.isEtcdUp = true;
    for (const [index, node] of world.nodes.entries()) {
      node.isConnected = true;
      node.isStubborn = false;
      node.thaw();
      if (index === 0) node.start();
    }
    await world.advance(60_000, check);
    assert.equal(owners().length, 1, `nobody has it: ${owners()}`);
    for (const node of world.nodes) node.resign();
    await world.advance(60_000, check);
    assert.deepEqual(owners(), []);
  });
  await fc.assert(example, runs);
});

test('the address moves at once when its owner resigns, and with the lease when the owner dies', async () => {
  const world = new SimulatedElection(3, () => 0.5);
  const check = () => {};
  for (const node of world.nodes) node.start();
  const owner = () => world.nodes.find(({ hasAddress }) => hasAddress);
  const seen: number[] = [];
  for (const end of ['resign', 'kill'] as const) {
    await world.advance(30_000, check);
    const before = owner() ?? assert.fail('nobody has the address');
    before[end]();
    const beganMs = world.timers.now();
    while (owner() === undefined || owner() === before) await world.advance(100, check);
    seen.push(world.timers.now() - beganMs);
  }
  const [resigned = 0, died = 0] = seen;
  // Simulated time: two ways of 200 ms each, and the time to live of 12 s with what etcd adds.
  assert.ok(resigned <= 500, `${resigned} ms`);
  assert.ok(died > 7_000 && died < 14_000, `${died} ms`);
});

test('a machined that starts removes the address that a dead one left', async () => {
  const world = new SimulatedElection(2, () => 0.5);
  const [node = assert.fail()] = world.nodes;
  const check = () => {};
  node.start();
  await world.advance(10_000, check);
  node.kill();
  await world.advance(100, check);
  assert.equal(node.hasAddress, true);
  node.start();
  await world.advance(0, check);
  assert.equal(node.hasAddress, false);
});

test('an owner that cannot remove the address does not resign before the kernel has removed it', async () => {
  const world = new SimulatedElection(2, () => 0.5);
  const [first = assert.fail(), second = assert.fail()] = world.nodes;
  first.start();
  await world.advance(10_000, () => {});
  assert.equal(first.hasAddress, true);
  second.start();
  first.isStubborn = true;
  first.resign();
  await world.advance(30_000, () => assert.ok(!(first.hasAddress && second.hasAddress)));
  assert.equal(second.hasAddress, true);
});
