// The events of the driver, and that no caller waits for an event that does not come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeEvent } from '@nodewright/containers';
import { openBench, openRuntime } from './bench.ts';
import { noContainerd } from './start-containerd.ts';

const options = { skip: noContainerd, timeout: 120_000 };
const target = {
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  digest: `sha256:${'0'.repeat(64)}`,
  size: 1n,
};

test(
  'a watcher misses no event that this connection causes, and can inspect each at once',
  options,
  async () => {
    await using bench = await openBench();
    const { images } = bench.services;
    for (let round = 0; round < 20; round += 1) {
      await using runtime = openRuntime(bench.containerd);
      const system = runtime.namespace('system');
      const left = new AbortController();
      const events = system.watchEvents(left.signal)[Symbol.asyncIterator]();
      const first = events.next();
      const name = `registry.example/test/event:v${round}`;
      // Cause them through this connection: the driver does not wait for those of other connections.
      const added = (async () => {
        await system.images.list();
        await images.create({ image: { name, target } });
      })();
      const { value } = (await first) as { value: RuntimeEvent };
      await added;
      assert.deepEqual({ ...value, atMs: 0 }, { kind: 'image-added', reference: name, atMs: 0 });
      assert.equal((await system.images.get(name)).reference, name);
      left.abort();
      await events.return?.();
    }
  },
);

test(
  'a containerd that hangs does not hold up a caller that aborts, and continues later',
  options,
  async () => {
    await using bench = await openBench();
    await bench.runtime.version();
    process.kill(bench.containerd.pid, 'SIGSTOP');
    try {
      const { containers, images } = bench.system;
      const tries = [
        (signal: AbortSignal) => bench.runtime.version({ signal }),
        (signal: AbortSignal) => containers.list({ signal }),
        (signal: AbortSignal) => images.list({ signal }),
        (signal: AbortSignal) => containers.wait('none', { signal }),
      ];
      for (const attempt of tries) {
        const left = new AbortController();
        const answer = attempt(left.signal);
        answer.catch(() => undefined);
        setImmediate(() => left.abort());
        await assert.rejects(answer, { kind: 'cancelled' });
      }
    } finally {
      process.kill(bench.containerd.pid, 'SIGCONT');
    }
    assert.equal((await bench.runtime.version()).platform.split('/')[0], 'linux');
  },
);
