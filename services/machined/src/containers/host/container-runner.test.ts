import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerSpec, ExitStatus, LogOptions, RuntimeNamespace } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { ServiceLog } from '@nodewright/services/logs';
import { eventually } from '@nodewright/testkit';
import { createContainerRunner } from './container-runner.ts';

const spec: ContainerSpec = { id: 'etcd', image: 'etcd:v3' };

/** A namespace with at most one container, whose task ends when the test says. */
class OneContainer {
  readonly calls: string[] = [];
  readonly output: string[] = [];
  /** The runtime goes away after the reader of the log has taken this many pieces; it does so once. */
  leavesAfter: number | undefined;
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
        logs: async function* (this: OneContainer, _id: string, { progress }: LogOptions) {
          const behind = Buffer.from(this.output.join('')).subarray(progress?.positionBytes ?? 0);
          for (const [index, line] of behind
            .toString()
            .split(/(?<=\n)/)
            .entries()) {
            if (index === this.leavesAfter) {
              this.leavesAfter = undefined;
              throw new Fault('unavailable', 'containerd went away');
            }
            if (progress !== undefined) progress.positionBytes = (progress.positionBytes ?? 0) + line.length;
            yield Buffer.from(line);
          }
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

test('the output continues after a restart of the runtime, where the reading of it had got to', async () => {
  const container = new OneContainer();
  container.output.push('one\n', 'two\n', 'three\n', 'four\n');
  container.leavesAfter = 2;
  const { log, started, ended, stop } = run(container);
  await started;
  const hasAll = () => log.lastBytes(100).toString().includes('four');
  await eventually(hasAll, { what: 'last line', timeoutMs: 20_000 });
  assert.equal(log.lastBytes(100).toString(), 'one\ntwo\nthree\nfour\n');
  stop.abort();
  assert.equal(await ended, undefined);
});
