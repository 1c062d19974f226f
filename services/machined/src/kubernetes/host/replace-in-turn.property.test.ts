// Three control planes whose kubelets restart in the same change that replaces their API servers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { pauseBy } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { EtcdClient } from '@nodewright/etcd';
import type { HealthResult } from '@nodewright/services';
import { MemoryState, pointerTo, putResource } from '@nodewright/state';
import { nodenames, staticPodStatuses } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import fc from 'fast-check';
import { replaceInTurn } from './replace-in-turn.ts';
import { ServerContainer } from './server-container.ts';

interface Facts {
  /** When the node wants to replace its API server. */
  readonly turnsAtMs: number;
  /** When the kubelet stops for its restart, and for how long. */
  readonly stopsAtMs: number;
  readonly awayMs: number;
  /** How long the new API server takes until it is ready. */
  readonly startMs: number;
}

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const status = pointerTo(staticPodStatuses, 'kube-system/kube-apiserver-node');
const notReady: HealthResult = { healthy: false, message: 'refused' };
/** Turns of the event loop in which everything that needs no time gets done. */
const settlingTurns = 12;

class Node {
  readonly container: ServerContainer;
  readonly #state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  readonly #timers: FakeTimers;
  readonly #facts: Facts;
  readonly #startsWell: boolean;
  #reported: Promise<unknown>;
  #hasKubelet = true;
  running = 'old';
  published = 'old';
  isReady = true;

  constructor(timers: FakeTimers, facts: Facts, startsWell: boolean) {
    this.#timers = timers;
    this.#facts = facts;
    this.#startsWell = startsWell;
    this.container = new ServerContainer(this.#state);
    const spec = { ...nodenames.codec.fromProto(new Uint8Array()), nodename: 'node' };
    this.#reported = this.#state.create({ ...pointerTo(nodenames), spec });
    this.#report('old');
    timers.after(facts.stopsAtMs, () => {
      this.#hasKubelet = false;
      this.#report(undefined);
    });
    timers.after(facts.stopsAtMs + facts.awayMs, () => {
      this.#hasKubelet = true;
      this.#report(this.running);
      this.#follow();
    });
  }

  /** Publishes the new pod, which a kubelet that is there follows at once. */
  grant(): void {
    this.published = 'new';
    this.#follow();
  }

  #follow(): void {
    if (!this.#hasKubelet || this.running === this.published) return;
    this.running = this.published;
    this.isReady = false;
    this.#report('');
    this.#timers.after(this.#facts.startMs, () => {
      this.isReady = this.#startsWell;
      if (this.#hasKubelet) this.#report(this.running);
    });
  }

  /** The resource changes as the controller of the kubelet does it, and the one of the turn sees each change. */
  #report(containerID: string | undefined): void {
    this.#reported = this.#reported.then(async () => {
      if (containerID === undefined) await this.#state.destroy(status);
      else
        await putResource(this.#state, {
          ...status,
          spec: { podStatus: { containerStatuses: [{ containerID }] } },
        });
      await this.container.observe();
    });
  }
}

async function rollOut(facts: readonly Facts[], startsWell: boolean, endMs: number) {
  const timers = new FakeTimers();
  const nodes = facts.map((own) => new Node(timers, own, startsWell));
  const stop = new AbortController();
  let isLocked = false;
  let mostDown = 0;
  const unlock = () => {
    isLocked = false;
  };
  const etcd = {
    async lock() {
      if (isLocked) throw new Error('locked');
      isLocked = true;
      return { signal: new AbortController().signal, [Symbol.asyncDispose]: async () => unlock() };
    },
    members: async () => [],
    [Symbol.asyncDispose]: async () => {},
  } as unknown as EtcdClient;
  const readiness = (node: Node): HealthResult => (node.isReady ? { healthy: true } : notReady);
  const follow = async (node: Node, turnsAtMs: number) => {
    const { container } = node;
    await pauseBy(timers, turnsAtMs, stop.signal);
    while (node.published === 'old' && !stop.signal.aborted) {
      let checkOwn = async () => readiness(node);
      const postponed = await replaceInTurn(
        {
          openEtcd: async () => etcd,
          others: async () =>
            nodes.flatMap((other, index) =>
              other === node ? [] : [{ node: `node${index}`, hosts: [String(index)], port: 1 }],
            ),
          absent: async () => [],
          checkOther: async ({ hosts }) => readiness(nodes[Number(hosts[0])] as Node),
          checkOwn: () => checkOwn(),
          obstacle: () => container.obstacle(),
          isReplacerAway: () => container.isUnreported(),
          async replace() {
            const check = await container.checkSuccessor(async () => readiness(node));
            checkOwn = () => check(1) as Promise<HealthResult>;
            node.grant();
          },
          report: () => {},
          ...{ timers, log },
        },
        { signal: stop.signal, isNeeded: async () => node.published === 'old' },
      );
      await pauseBy(timers, postponed?.retryAfterMs ?? 0, stop.signal);
    }
  };
  const all = Promise.allSettled(nodes.map((node, index) => follow(node, facts[index]?.turnsAtMs ?? 0)));
  const beganMs = timers.now();
  const look = () => {
    mostDown = Math.max(mostDown, nodes.filter(({ isReady }) => !isReady).length);
  };
  while (timers.now() < beganMs + endMs && nodes.some((node) => node.running === 'old' || !node.isReady)) {
    for (let turn = 0; turn < settlingTurns; turn += 1) await immediate();
    look();
    timers.step(beganMs + endMs);
    look();
  }
  stop.abort();
  await all;
  return { mostDown, replaced: nodes.filter(({ published }) => published === 'new').length };
}

/** The nodes download the same kubelet, so they are without one for about the same time. */
const cluster = fc
  .record({ awayMs: fc.integer({ min: 1, max: 200_000 }), spreadMs: fc.constantFrom(1, 2_000, 60_000) })
  .chain(({ awayMs, spreadMs }) => {
    const node = fc.record({
      turnsAtMs: fc.integer({ min: 0, max: 3_000 }),
      stopsAtMs: fc.integer({ min: 0, max: 3_000 }),
      awayMs: fc.integer({ min: awayMs, max: awayMs + spreadMs }),
      startMs: fc.integer({ min: 1, max: 20_000 }),
    });
    return fc.tuple(node, node, node);
  });

/** No kubelet is there when the first turn begins, and all are back at the same moment. */
const allAway: Facts = { turnsAtMs: 2_000, stopsAtMs: 1_000, awayMs: 60_000, startMs: 10_000 };
const examples: [Facts, Facts, Facts][] = [[allAway, allAway, allAway]];

test('API servers are replaced one at a time although all kubelets restart with the same change', async () => {
  await fc.assert(
    fc.asyncProperty(cluster, async (facts) => {
      assert.deepEqual(await rollOut(facts, true, 3_600_000), { mostDown: 1, replaced: 3 });
    }),
    { numRuns: 10, examples: examples.map((facts) => [facts]) },
  );
});

test('settings with which no API server starts stop at the first, although all kubelets restart with them', async () => {
  await fc.assert(
    fc.asyncProperty(cluster, async (facts) => {
      assert.deepEqual(await rollOut(facts, false, 600_000), { mostDown: 1, replaced: 1 });
    }),
    { numRuns: 10, examples: examples.map((facts) => [facts]) },
  );
});
