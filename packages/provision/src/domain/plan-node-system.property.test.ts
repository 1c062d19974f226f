import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSlot, type Slot } from '@nodewright/boot';
import fc from 'fast-check';
import { settleNode } from '../docker/systems/settle-node.ts';
import { KeeperKilled, SimulatedNodeContainer } from '../testing/simulated-node-container.ts';
import { createdSystem, type NodeWish, type SystemId } from './plan-node-system.ts';

const histories = 4000;
const digests = ['a', 'b', 'c', 'd'].map((letter) => `sha256:${letter.repeat(64)}`);
/** The last one is never signed. */
const [foreign = ''] = digests.slice(-1);

type Event =
  | { readonly kind: 'upgrade'; readonly digest: string; readonly becomesReady: boolean }
  | { readonly kind: 'rollback' | 'crash' | 'stop and start' | 'lose an image' | 'lose the container' }
  | { readonly kind: 'hostile wish'; readonly wish: NodeWish | undefined };

const slot = fc.constantFrom<Slot>('A', 'B');
const id = fc.constantFrom<SystemId>(createdSystem, ...digests);
const hostile = fc.option(
  fc.record({
    default: fc.option(slot, { nil: undefined }),
    once: fc.option(slot, { nil: undefined }),
    systems: fc.record({ A: id, B: id }, { requiredKeys: [] }),
  }),
  { nil: undefined },
);
const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('upgrade' as const),
      digest: fc.constantFrom(...digests),
      becomesReady: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('rollback', 'crash', 'stop and start', 'lose an image', 'lose the container'),
    }) as fc.Arbitrary<Event>,
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hostile wish' as const), wish: hostile }) },
);
const effects = ['keep image', 'load', 'store', 'forget once', 'place', 'try', 'start', 'remove image'];
const turns = fc.record({
  event: events,
  changesLeft: fc.option(fc.nat(8), { nil: Number.POSITIVE_INFINITY, freq: 2 }),
  failing: fc.subarray(effects, { maxLength: 2 }),
  hasFailures: fc.boolean(),
});

/** A pass of the keeper, which may be killed; another keeper goes on then, without the failures of this one. */
async function pass(node: SimulatedNodeContainer, mayStart: boolean): Promise<void> {
  try {
    await settleNode(node, mayStart);
  } catch (error) {
    if (!(error instanceof KeeperKilled)) throw error;
  }
}

async function recover(node: SimulatedNodeContainer): Promise<void> {
  node.changesLeft = Number.POSITIVE_INFINITY;
  node.failing = new Set();
  await settleNode(node, true);
}

/** What the keeper has as the default, and what the node of that slot calls itself. */
const defaultOf = ({ record }: SimulatedNodeContainer) => record.slots[record.default];

function happen(node: SimulatedNodeContainer, event: Event): void {
  const { record } = node;
  const systems = Object.fromEntries(
    Object.entries(record.slots).map(([name, system]) => [name, system?.id]),
  );
  const other = otherSlot(record.default);
  switch (event.kind) {
    case 'upgrade':
      node.wish = {
        ...{ default: record.default, once: other },
        systems: { ...systems, [other]: event.digest },
      };
      break;
    case 'rollback':
      node.wish = { default: record.default, once: other, systems };
      break;
    case 'hostile wish':
      node.wish = event.wish;
      break;
    case 'lose an image': {
      // The engine keeps an image that a container uses.
      const [image] = [...node.images].filter((one) => one !== `kept/${node.container?.system}`);
      if (image !== undefined) node.images.delete(image);
      break;
    }
    case 'lose the container':
      if (node.images.has(defaultOf(node)?.image ?? '')) node.container = undefined;
      break;
    default:
  }
  if (node.container !== undefined) node.container.isRunning = false;
}

test(`whatever fails and whenever the keeper is killed, a node has a system to start: ${histories} histories`, async () => {
  const seen = new Map<string, number>();
  const count = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(fc.array(turns, { minLength: 1, maxLength: 10 }), async (history) => {
      const node = new SimulatedNodeContainer();
      for (const digest of digests) if (digest !== foreign) node.sound.add(digest);
      for (const { event, changesLeft, failing, hasFailures } of history) {
        const before = defaultOf(node)?.id;
        happen(node, event);
        node.changesLeft = changesLeft;
        node.failing = new Set(hasFailures ? failing : []);
        const firstStart = node.started.length;
        await pass(node, true);
        if (node.changesLeft <= 0) count('the keeper was killed');
        assert.equal(defaultOf(node)?.id, before, 'nothing but a confirmation changes the default');
        await recover(node);
        assert.ok(node.container?.isRunning, 'the node runs');
        const { trial } = node.record;
        if (trial !== undefined) {
          count('a trial');
          assert.equal(node.container.system, node.record.slots[trial.slot]?.id);
          const isReady = event.kind === 'upgrade' && event.becomesReady;
          if (isReady) {
            node.wish = { ...node.wish, default: trial.slot, systems: { ...node.wish?.systems } };
            await settleNode(node, false);
            assert.equal(node.record.default, trial.slot);
            count('a confirmation');
          } else {
            // It crashes, or its supervisor ends it.
            node.container.isRunning = false;
            await recover(node);
            assert.equal(node.container.system, before, 'back on the system before');
            count('a way back');
          }
        }
        assert.equal(node.container?.system, defaultOf(node)?.id, 'the default runs in the end');
        // A system is tried once for each wish.
        const tries = node.started
          .slice(firstStart)
          .filter((one) => one !== before && one !== defaultOf(node)?.id);
        assert.ok(tries.length <= 1, `tried: ${tries}`);
      }
      assert.ok(!node.started.includes(foreign), 'what is not signed is never started');
      assert.ok(!node.images.has(`kept/${foreign}`));
    }),
    { numRuns: histories, seed: 20_261_201 },
  );
  for (const what of ['the keeper was killed', 'a trial', 'a confirmation', 'a way back'])
    assert.ok((seen.get(what) ?? 0) >= 200, `${what}: ${seen.get(what)}`);
});
