import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOptions, ContainerSpec, RuntimeNamespace } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { runContainer } from './run-container.ts';

const spec: ContainerSpec = { id: 'etcd-version', image: 'etcd:v3' };
const never = new AbortController().signal;

/**
 * An engine as Docker's: it makes a container to its end when the call was cancelled. Until then its name is taken and it is in no
 * list.
 */
class BusyEngine {
  readonly calls: string[] = [];
  /** How the next call of this name fails. */
  readonly failures = new Map<string, Fault>();
  output = 'etcd Version: 3.7.3\n';
  exitCode = 0;
  #state: 'none' | 'being made' | 'made' = 'none';
  #isBusy = false;

  /** From now on a container is not finished until `finish()`. */
  beBusy(): void {
    this.#isBusy = true;
  }

  finish(): void {
    this.#isBusy = false;
    if (this.#state === 'being made') this.#state = 'made';
  }

  get namespace(): RuntimeNamespace {
    const call = (name: string) => {
      this.calls.push(name);
      const failure = this.failures.get(name);
      if (failure === undefined) return;
      this.failures.delete(name);
      throw failure;
    };
    const namespace = {
      images: { get: async () => {} },
      containers: {
        remove: async () => {
          call('remove');
          if (this.#state !== 'made') throw new Fault('not-found', 'container "etcd-version" not found');
          this.#state = 'none';
        },
        create: async (_spec: ContainerSpec, { signal }: CallOptions = {}) => {
          call('create');
          if (this.#state !== 'none')
            throw new Fault('already-exists', 'Conflict. The container name is in use');
          this.#state = this.#isBusy ? 'being made' : 'made';
          if (!this.#isBusy) return;
          await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
          throw new Fault('cancelled', 'the call was cancelled');
        },
        start: async () => call('start'),
        wait: async () => ({ code: this.exitCode, atMs: 0 }),
        logs: async function* (this: BusyEngine) {
          yield Buffer.from(this.output);
        }.bind(this),
      },
    };
    return namespace as unknown as RuntimeNamespace;
  }
}

test('runContainer() returns the output, and removes a leftover and its own container', async () => {
  const engine = new BusyEngine();
  assert.equal(await runContainer('etcd', engine.namespace, spec, never), 'etcd Version: 3.7.3\n');
  assert.deepEqual(engine.calls, ['remove', 'create', 'start', 'remove']);
});

test('runContainer() waits for the container that the engine still makes for a cancelled call', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const engine = new BusyEngine();
  engine.beBusy();
  const stop = new AbortController();
  const first = runContainer('etcd', engine.namespace, spec, stop.signal);
  await settled();
  stop.abort();
  await assert.rejects(first, { kind: 'cancelled' });
  const second = runContainer('etcd', engine.namespace, spec, never);
  second.catch(() => {});
  for (let tries = 0; tries < 3; tries++) {
    await settled();
    context.mock.timers.tick(500);
  }
  engine.finish();
  await settled();
  context.mock.timers.tick(500);
  assert.equal(await second, 'etcd Version: 3.7.3\n');
});

test('runContainer() waits for a removal that another call has begun', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const engine = new BusyEngine();
  engine.failures.set('remove', new Fault('failed-precondition', 'removal is already in progress'));
  engine.failures.set('create', new Fault('already-exists', 'Conflict. The container name is in use'));
  const output = runContainer('etcd', engine.namespace, spec, never);
  output.catch(() => {});
  await settled();
  context.mock.timers.tick(500);
  assert.equal(await output, 'etcd Version: 3.7.3\n');
});

test('runContainer() gives up a name that stays taken after 30 s, and ends at once when it is cancelled', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const engine = new BusyEngine();
  engine.beBusy();
  const stop = new AbortController();
  const first = runContainer('etcd', engine.namespace, spec, stop.signal);
  await settled();
  stop.abort();
  await assert.rejects(first, { kind: 'cancelled' });

  const leaving = new AbortController();
  const cancelled = runContainer('etcd', engine.namespace, spec, leaving.signal);
  await settled();
  leaving.abort();
  await assert.rejects(cancelled, { kind: 'cancelled' });

  let isOver = false;
  const late = runContainer('etcd', engine.namespace, spec, never);
  const over = assert.rejects(late, { kind: 'already-exists' }).then(() => {
    isOver = true;
  });
  let waitedMs = 0;
  for (; waitedMs < 60_000 && !isOver; waitedMs += 500) {
    await settled();
    context.mock.timers.tick(500);
    await settled();
  }
  await over;
  assert.equal(waitedMs, 30_000);
});

test('runContainer() names a leftover that cannot be removed, and not the name that it takes', async () => {
  const engine = new BusyEngine();
  engine.failures.set('remove', new Fault('unknown', 'driver "overlay2" failed to remove root filesystem'));
  await assert.rejects(
    runContainer('etcd', engine.namespace, spec, never),
    /failed to remove root filesystem/,
  );
  assert.deepEqual(engine.calls, ['remove']);
});

test('runContainer() fails with the last line of the output', async () => {
  const engine = new BusyEngine();
  engine.exitCode = 1;
  engine.output = 'starting\nno such file\n';
  await assert.rejects(runContainer('etcdutl', engine.namespace, spec, never), {
    kind: 'internal',
    message: 'etcdutl: no such file',
  });
});

/** Lets every promise that is ready run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
