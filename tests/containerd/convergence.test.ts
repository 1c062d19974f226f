// containerd is killed at random moments of a container's life. Every interrupted operation can be repeated,
// and nothing is left behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerStore } from '@nodewright/containers';
import { eventually } from '@nodewright/testkit';
import { imageWith, importImage, keptBy, openBench, pull } from './bench.ts';
import { openScriptedRegistry } from './scripted-registry.ts';
import { mountsBelow, noContainerd } from './start-containerd.ts';

const rounds = 8;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const image = 'registry.example/test/shell:v1';

/** Numbers in [0, 1) that the seed determines. Source: mulberry32. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs through the whole life of a container. */
async function live(containers: ContainerStore, id: string): Promise<number> {
  const command = ['/bin/sh', '-c', 'sleep 0.1; exit 6'];
  await containers.create({ id, image, command });
  await containers.start(id);
  const { code } = await containers.wait(id);
  await containers.remove(id);
  return code;
}

test(`every operation that a crash interrupts can be repeated, seed ${seed}`, {
  skip: noContainerd,
  timeout: 170_000,
}, async () => {
  const random = randomFrom(seed);
  await using bench = await openBench();
  const { containers, images } = bench.system;
  await importImage(images, image);
  const clean = await keptBy(bench.services);
  // Duration of a container's life on this machine, so that the crashes fall into it.
  const begun = performance.now();
  assert.equal(await live(containers, 'measured'), 6);
  const lifeMs = performance.now() - begun;
  for (let round = 0; round < rounds; round += 1) {
    const id = `round-${round}`;
    const cut = live(containers, id).then(
      (code) => `lived, ${code}`,
      ({ kind }: { kind?: string }) => kind ?? 'no fault',
    );
    const afterMs = Math.floor(random() * lifeMs);
    await sleep(afterMs);
    await bench.containerd.kill();
    const outcome = await cut;
    const where = `seed ${seed}, round ${round}, after ${afterMs} of ${lifeMs.toFixed()} ms: ${outcome}`;
    assert.match(outcome, /^(lived, 6|unavailable)$/, where);
    await bench.containerd.restart();
    try {
      await containers.remove(id, { force: true }).catch((error: { kind?: string }) => {
        if (error.kind !== 'not-found') throw error;
      });
      assert.equal(await live(containers, id), 6);
    } catch (error) {
      throw new Error(where, { cause: error });
    }
  }
  assert.deepEqual(await containers.list(), []);
  await eventually(() => bench.containerd.shims().length === 0, {
    what: 'end of all shims',
    timeoutMs: 60_000,
  });
  assert.deepEqual(
    mountsBelow(bench.containerd.folder).filter((point) => point.includes('/state/')),
    [],
  );
  // The leases of interrupted creations, which expire after a day.
  const { leases } = await bench.services.leases.list({});
  for (const { id } of leases) await bench.services.leases.delete({ id, sync: true });
  assert.deepEqual(await keptBy(bench.services), clean);
});

test(`a pull that a crash interrupts anywhere is complete at the next attempt, seed ${seed}`, {
  skip: noContainerd,
  timeout: 170_000,
}, async () => {
  const random = randomFrom(seed + 1);
  await using bench = await openBench();
  const { images } = bench.system;
  const pulled = await imageWith({ paddingBytes: 2_000_000 });
  await using registry = await openScriptedRegistry({ 'a/app': pulled });
  const reference = `${registry.host}/a/app:v1`;
  const begun = performance.now();
  await pull(bench.system, reference);
  const pullMs = performance.now() - begun;
  const whole = await keptBy(bench.services);
  for (let round = 0; round < rounds; round += 1) {
    await images.remove(reference);
    const cut = pull(bench.system, reference).then(
      () => 'pulled',
      ({ kind }: { kind?: string }) => kind ?? 'no fault',
    );
    const afterMs = Math.floor(random() * pullMs);
    await sleep(afterMs);
    await bench.containerd.kill();
    const outcome = await cut;
    const where = `seed ${seed}, round ${round}, after ${afterMs} of ${pullMs.toFixed()} ms: ${outcome}`;
    assert.match(outcome, /^(pulled|unavailable)$/, where);
    await bench.containerd.restart();
    try {
      assert.equal((await pull(bench.system, reference)).digest, pulled.manifest.digest);
      assert.deepEqual(await keptBy(bench.services), whole);
    } catch (error) {
      throw new Error(where, { cause: error });
    }
  }
});
