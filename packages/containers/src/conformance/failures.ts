import assert from 'node:assert/strict';
import { test as testAlone } from 'node:test';
import { type BenchTest, faultOf, pieces, pullWhole, run, shell } from './in-runtime.ts';
import type { RuntimeSubject } from './runtime-subject.ts';
import { layoutArchive, makeTestImage } from './test-image.ts';
import { openTestRegistry } from './test-registry.ts';

const timeoutMs = 180_000;

/** Checks of a runtime whose daemon dies and returns, and of one whose disk is full. */
export function testFailures(test: BenchTest, subject: RuntimeSubject): void {
  test('a runtime whose daemon died is unavailable, and its containers are there again after a restart', async (bench) => {
    const { host, runtime, system, reference } = bench;
    const container = await run(bench, { command: shell('sleep 600') });
    const left = new AbortController();
    // The event of the start may still arrive.
    const watched = readAll(system.watchEvents(left.signal));
    watched.catch(() => {});
    // Wait until the watch is open.
    await runtime.version();
    const waiting = system.containers.wait(container.id);
    waiting.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    await host.crash();
    await assert.rejects(waiting, faultOf('unavailable'));
    await assert.rejects(watched, faultOf('unavailable'));
    await assert.rejects(runtime.version(), faultOf('unavailable'));
    await assert.rejects(system.containers.list(), faultOf('unavailable'));
    await assert.rejects(pullWhole(system, reference), faultOf('unavailable'));
    await host.restart();
    // The same connection as before, as in machined.
    await runtime.version();
    const { task } = await system.containers.get(container.id);
    assert.match(task?.status ?? 'none', /^(running|stopped)$/);
    if (task?.status !== 'running') await system.containers.start(container.id);
    const ended = system.containers.wait(container.id);
    await system.containers.kill(container.id, 'SIGKILL');
    assert.equal((await ended).code, 137);
    await system.containers.remove(container.id);
    assert.equal((await system.images.get(reference)).reference, reference);
  });

  testAlone(
    `${subject.name}: a full disk is resource-exhausted, and is forgotten once there is room`,
    {
      skip: subject.skip,
      timeout: timeoutMs,
    },
    async () => {
      await using host = await subject.openHost({ diskBytes: 48 << 20 });
      await using registry = await openTestRegistry();
      await using runtime = host.openRuntime();
      const { images } = runtime.namespace('system');
      const busybox = await subject.busybox();
      const small = await makeTestImage({ busybox });
      const large = await makeTestImage({ busybox, paddingBytes: 60 << 20 });
      registry.put('disk/large', 'v1', large.manifest, [large]);
      registry.put('disk/small', 'v1', small.manifest, [small]);
      const reference = `${registry.host}/disk/large:v1`;
      await assert.rejects(
        pullWhole(runtime.namespace('system'), reference),
        faultOf('resource-exhausted', /disk\/large/),
      );
      const archive = await layoutArchive(large, 'registry.example/disk/large:v2');
      await assert.rejects(images.import(pieces(archive, 1 << 20)), faultOf('resource-exhausted'));
      assert.deepEqual(await images.list(), []);
      await pullWhole(runtime.namespace('system'), `${registry.host}/disk/small:v1`);
      assert.equal((await images.list()).length, 1);
    },
  );
}

/** Reads to the end, or to the failure. */
async function readAll(values: AsyncIterable<unknown>): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
