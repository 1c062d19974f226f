import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { SimulatedNodeContainer } from '../../testing/simulated-node-container.ts';
import { NodeSystems, type WatchedNode } from './node-systems.ts';

const digest = `sha256:${'a'.repeat(64)}`;

/** A node that wants to try an artefact. */
function open() {
  const node = new SimulatedNodeContainer();
  node.sound.add(digest);
  node.wish = { default: 'A', once: 'B', systems: { A: 'created', B: digest } };
  node.container = { system: 'created', isRunning: false };
  let signs = 0;
  const seen = { isAlive: true, isEngineAway: false, endsDuringLoad: false, killsFail: 0, dies: false };
  const watched: WatchedNode = {
    facts: () => node.facts(),
    carryOut: (effect) => {
      if (effect.kind !== 'load' || !seen.endsDuringLoad) return node.carryOut(effect);
      stop.abort();
      throw new Error('the load was ended');
    },
    failed: (effect) => node.failed(effect),
    record: () => node.record,
    async container() {
      if (seen.isEngineAway) throw new Error('the engine is away');
      const found = node.container && { id: 'c1', ...node.container };
      if (seen.dies && node.container !== undefined) node.container.isRunning = false;
      return found;
    },
    async read(name) {
      assert.equal(name, 'B/alive');
      signs += seen.isAlive ? 1 : 0;
      return Buffer.from(`${signs}\n`);
    },
  };
  const stop = new AbortController();
  const killed: string[] = [];
  const lines: string[] = [];
  const systems = new NodeSystems({
    ...{ nodes: new Map([['node01', watched]]), everyMs: 5, signal: stop.signal },
    engine: {
      async ask([word, id]) {
        killed.push(`${word} ${id}`);
        seen.killsFail -= 1;
        return { code: seen.killsFail >= 0 ? 1 : 0, stdout: '', stderr: 'the engine is busy' };
      },
    },
    log: createLogger({
      ...{ name: 'keeper', telemetry: noTelemetry, level: 'info' },
      destination: { write: (line) => void lines.push(JSON.parse(line).msg) },
    }),
  });
  return { node, systems, seen, killed, lines, looks: () => signs, [Symbol.dispose]: () => stop.abort() };
}

const until = (holds: () => boolean) => eventually(holds, { what: `holding of ${holds}`, pollMs: 5 });

test('a system that is tried and shows life is left alone until the node confirms it', async () => {
  using opened = open();
  const { node, systems, killed, looks, seen } = opened;
  assert.equal(await systems.bring('node01'), 'started');
  assert.deepEqual(node.record.trial, { slot: 'B', phase: 'tried' });
  await until(() => looks() > 20);
  seen.isEngineAway = true;
  await new Promise((resolve) => setTimeout(resolve, 100));
  seen.isEngineAway = false;
  assert.deepEqual(killed, []);
  node.wish = { default: 'B', systems: { A: 'created', B: digest } };
  await until(() => node.record.trial === undefined);
  assert.deepEqual([node.record.default, killed], ['B', []]);
});

test('a system that is tried and hangs is ended, and the next start has the one before', async () => {
  using opened = open();
  const { node, systems, killed, seen } = opened;
  seen.isAlive = false;
  await systems.bring('node01');
  await until(() => killed.length > 0);
  assert.deepEqual(killed, ['kill c1']);
  node.container = { system: digest, isRunning: false };
  assert.equal(await systems.bring('node01'), 'started');
  assert.deepEqual([node.container.system, node.record.trial], ['created', undefined]);
});

test('a system that hangs and that the engine does not end at once is ended later', async () => {
  using opened = open();
  const { systems, killed, seen } = opened;
  Object.assign(seen, { isAlive: false, killsFail: 2 });
  await systems.bring('node01');
  await until(() => killed.length === 3);
});

test('a tried system that ends while it is looked at is not said to be confirmed', async () => {
  using opened = open();
  const { node, systems, lines, seen } = opened;
  await systems.bring('node01');
  seen.dies = true;
  await until(() => node.record.trial === undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(node.record.default, 'A');
  assert.deepEqual(lines, []);
});

test('a keeper that ends while it loads a system drops no choice, and starts nothing any more', async () => {
  using opened = open();
  const { node, systems, seen } = opened;
  seen.endsDuringLoad = true;
  await systems.bring('node01');
  assert.deepEqual([node.wish?.once, node.started], ['B', []]);
});

test('a keeper that starts during a trial goes on watching it', async () => {
  using opened = open();
  const { node, systems, killed, seen } = opened;
  node.images.add('kept/created').add(`kept/${digest}`);
  node.record = {
    slots: {
      A: { id: 'created', image: 'kept/created', certificates: [] },
      B: { id: digest, image: `kept/${digest}`, certificates: [] },
    },
    ...{ default: 'A', trial: { slot: 'B', phase: 'tried' } },
  };
  node.wish = { default: 'A', systems: { A: 'created', B: digest } };
  node.container = { system: digest, isRunning: true };
  seen.isAlive = false;
  await systems.look();
  await until(() => killed.length > 0);
  assert.deepEqual(node.started, []);
});
