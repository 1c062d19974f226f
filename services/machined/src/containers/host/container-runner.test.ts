import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerSpec, ExitStatus, RuntimeNamespace } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { ServiceLog } from '../../logs/host/log-store.ts';
import { createContainerRunner } from './container-runner.ts';

const spec: ContainerSpec = { id: 'etcd', image: 'etcd:v3' };

/** A namespace with at most one container, whose task ends when the test says. */
class OneContainer {
  readonly calls: string[] = [];
  readonly output: string[] = [];
  /** Whether the image must be pulled. */
  isImageMissing = false;
  /** The calls that fail once because the runtime is unavailable. */
  readonly away = new Set<string>();
  /** Signals that end the task. */
  obeys: readonly string[] = ['SIGTERM', 'SIGKILL'];
  #exists = false;
  #exit = Promise.withResolvers<ExitStatus>();

  constructor(init: { readonly isLeftOver?: true } = {}) {
    this.#exists = init.isLeftOver ?? false;
  }

  end(code: number): void {
    this.#exit.resolve({ code, atMs: 0 });
  }

  get namespace(): RuntimeNamespace {
    const call = (name: string) => {
      this.calls.push(name);
      if (this.away.delete(name)) throw new Fault('unavailable', 'the runtime does not answer');
    };
    const namespace = {
      name: 'system',
      images: {
        get: async () => {
          if (this.isImageMissing) throw new Fault('not-found', 'no such image');
        },
        pull: async function* (this: void) {
          call('pull');
          yield* [];
        },
      },
      containers: {
        remove: async () => {
          call('remove');
          if (!this.#exists) throw new Fault('not-found', 'no such container');
          this.#exists = false;
        },
        create: async () => {
          call('create');
          this.#exists = true;
        },
        start: async () => {
          call('start');
          return 17;
        },
        wait: async () => {
          call('wait');
          return this.#exit.promise;
        },
        kill: async (_id: string, name: string) => {
          call(name);
          if (this.obeys.includes(name)) this.end(137);
        },
        logs: async function* (this: OneContainer) {
          for (const line of this.output) yield Buffer.from(line);
        }.bind(this),
      },
    };
    return namespace as unknown as RuntimeNamespace;
  }
}

function run(container: OneContainer, graceTimeoutMs = 5000) {
  const log = new ServiceLog('etcd');
  const stop = new AbortController();
  const told: string[] = [];
  const { namespace } = container;
  const runner = createContainerRunner({
    ...{ runtime: 'docker', namespace, id: 'etcd', log, graceTimeoutMs },
    spec: async () => spec,
  });
  const started = Promise.withResolvers<void>();
  const ended = runner
    .run((event) => {
      told.push(event);
      if (event === 'run') started.resolve();
    }, stop.signal)
    .then(
      () => undefined,
      ({ message }: Error) => message,
    );
  return { log, stop, told, started: started.promise, ended };
}

test('a leftover container is removed first, and a failure contains the last output lines', async () => {
  const container = new OneContainer({ isLeftOver: true });
  container.output.push('starting\nno certificate\n');
  const { log, ended, started } = run(container);
  await started;
  container.end(3);
  assert.match((await ended) ?? '', /3.*no certificate/);
  assert.deepEqual(container.calls, ['remove', 'create', 'start', 'wait', 'remove']);
  assert.equal(log.lastBytes(100).toString(), 'starting\nno certificate\n');
});

test('a missing image is pulled, and an unavailable runtime is retried', async () => {
  const container = new OneContainer();
  container.isImageMissing = true;
  container.away.add('remove');
  const { started, stop, ended } = run(container);
  await started;
  stop.abort();
  assert.equal(await ended, undefined);
  assert.deepEqual(container.calls.slice(0, 5), ['remove', 'remove', 'pull', 'create', 'start']);
});

test('a container that is stopped gets SIGTERM and, after the grace time, SIGKILL, and is removed', async () => {
  const container = new OneContainer();
  container.obeys = ['SIGKILL'];
  const { started, stop, ended, told } = run(container, 20);
  await started;
  stop.abort();
  assert.equal(await ended, undefined);
  assert.deepEqual(told, ['run', 'signal', 'signal']);
  assert.deepEqual(container.calls.slice(-3), ['SIGTERM', 'SIGKILL', 'remove']);
});

test('the exit status is requested again when the runtime becomes unavailable', async () => {
  const container = new OneContainer();
  container.away.add('wait');
  const { started, ended } = run(container);
  await started;
  container.end(4);
  assert.match((await ended) ?? '', /exit code 4/);
  assert.deepEqual(container.calls.slice(-3), ['wait', 'wait', 'remove']);
});
