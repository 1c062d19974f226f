import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import type { ContainerEvent } from '../../domain/plan-healing.ts';
import { type DockerResult, type Engine, openEngine } from '../../engine/index.ts';
import { ContainerKeeper, type KeepInit } from './keep-containers.ts';

/** A fake engine. Its containers can end, and the engine itself can become unreachable. */
class FakeEngine {
  /** Whether each container runs, by id. */
  readonly containers = new Map<string, boolean>();
  readonly starts: string[] = [];
  /** How often the keeper has asked whether a container runs. */
  questions = 0;
  /** How many more starts of each container fail. */
  readonly failures = new Map<string, number>();
  isAway = false;
  exitCode = 137;
  #watchers = new Set<PromiseWithResolvers<ContainerEvent | undefined>>();
  readonly #pending: ContainerEvent[] = [];

  readonly engine: Engine = openEngine({
    environment: {},
    variables: {},
    docker: async (args) => this.#run(args),
  });

  tell(kind: 'died' | 'stopped' | 'removed', id: string): void {
    if (kind === 'removed') this.containers.delete(id);
    else this.containers.set(id, false);
    this.#pending.push({ kind, id, service: id, atMs: Date.now() - 60_000 });
    for (const watcher of this.#watchers) watcher.resolve(undefined);
  }

  goAway(): void {
    this.isAway = true;
    for (const watcher of this.#watchers) watcher.resolve(undefined);
  }

  async *watch(_sinceMs: number, signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    while (!signal.aborted && !this.isAway) {
      yield* this.#pending.splice(0);
      const watcher = Promise.withResolvers<ContainerEvent | undefined>();
      this.#watchers.add(watcher);
      const stop = () => watcher.resolve(undefined);
      signal.addEventListener('abort', stop, { once: true });
      if (this.#pending.length === 0 && !this.isAway && !signal.aborted) await watcher.promise;
      signal.removeEventListener('abort', stop);
      this.#watchers.delete(watcher);
    }
  }

  #run(args: readonly string[]): DockerResult {
    const said = (stdout: string) => ({ code: 0, stdout, stderr: '' });
    if (this.isAway) return { code: 1, stdout: '', stderr: 'Cannot connect to the Docker daemon' };
    if (args[0] === 'ps') return said([...this.containers.keys()].join('\n'));
    if (args[0] === 'start') return this.#start(args[1] ?? '');
    const id = args.at(-1) ?? '';
    if (args.includes('--format')) this.questions += 1;
    if (args.includes('--format')) return said(`${this.containers.get(id)} false 137\n`);
    const { exitCode } = this;
    return said(
      JSON.stringify([...this.containers].map(([name, isRunning]) => inspected(name, isRunning, exitCode))),
    );
  }

  #start(id: string): DockerResult {
    const left = this.failures.get(id) ?? 0;
    this.failures.set(id, left - 1);
    if (left > 0) return { code: 1, stdout: '', stderr: 'cannot join network of a non running container' };
    this.starts.push(id);
    this.containers.set(id, true);
    return { code: 0, stdout: id, stderr: '' };
  }
}

const inspected = (id: string, isRunning: boolean, exitCode: number) => ({
  Id: id,
  RestartCount: 0,
  Config: { Image: 'image', Labels: { 'com.docker.compose.service': id } },
  State: { Running: isRunning, Restarting: false, Pid: 1, ExitCode: exitCode, StartedAt: '' },
});

async function keepWith(systems: KeepInit['systems'], ...ids: string[]) {
  const fake = new FakeEngine();
  for (const id of ids) fake.containers.set(id, true);
  return keepAll(fake, systems);
}

async function keepAll(fake: FakeEngine, systems: KeepInit['systems']) {
  const stop = new AbortController();
  const keeper = new ContainerKeeper({
    engine: fake.engine,
    folder: '/c',
    systems,
    log: createLogger({ name: 'keeper', telemetry: noTelemetry, level: 'silent' }),
    // The events are one minute old, so that the delay before a restart has passed.
    now: () => Date.now(),
    signal: stop.signal,
    watch: (sinceMs, signal) => fake.watch(sinceMs, signal),
    reconnectMs: 20,
  });
  await keeper.look();
  const running = keeper.run();
  return {
    fake,
    keeper,
    running,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

const keep = (...ids: string[]) => keepWith(undefined, ...ids);

const until = (holds: () => boolean) => eventually(holds, { what: `holding of ${holds}`, pollMs: 10 });

test('ContainerKeeper restarts a container that was killed, but not one that was stopped', async () => {
  await using kept = await keep('node01', 'node01-apid');
  kept.fake.tell('stopped', 'node01-apid');
  kept.fake.tell('died', 'node01');
  await until(() => kept.fake.starts.length > 0);
  assert.deepEqual([kept.fake.starts, [...kept.keeper.starts]], [['node01'], [['node01', 1]]]);
});

test('ContainerKeeper never restarts the container `init`, which is meant to exit', async () => {
  await using kept = await keep('init', 'node01');
  kept.fake.tell('died', 'init');
  kept.fake.tell('died', 'node01');
  await until(() => kept.fake.starts.length > 0);
  assert.deepEqual(kept.fake.starts, ['node01']);
});

test('ContainerKeeper retries a start that failed', async () => {
  await using kept = await keep('node01');
  kept.fake.failures.set('node01', 1);
  kept.fake.tell('died', 'node01');
  await until(() => kept.fake.starts.length > 0);
  assert.deepEqual(kept.fake.starts, ['node01']);
});

test('ContainerKeeper reconnects to the engine and restarts containers that died in the meantime', async () => {
  await using kept = await keep('node01', 'node02');
  kept.fake.goAway();
  kept.fake.containers.set('node02', false);
  await new Promise((resolve) => setTimeout(resolve, 60));
  kept.fake.isAway = false;
  await until(() => kept.fake.starts.length > 0);
  assert.deepEqual(kept.fake.starts, ['node02']);
});

test('ContainerKeeper ends when the last container has been removed', async () => {
  await using kept = await keep('node01', 'node02');
  kept.fake.tell('removed', 'node01');
  kept.fake.tell('removed', 'node02');
  await kept.running;
  assert.deepEqual(kept.fake.starts, []);
});

test('ContainerKeeper waits longer and longer for events that end at once, and logs only the first end', async () => {
  const fake = new FakeEngine();
  fake.containers.set('node01', true);
  const stop = new AbortController();
  const lines: string[] = [];
  let attempts = 0;
  let clockStepMs = 0;
  const enough = Promise.withResolvers<void>();
  const keeper = new ContainerKeeper({
    engine: fake.engine,
    folder: '/c',
    log: createLogger({
      ...{ name: 'keeper', telemetry: noTelemetry, level: 'info' },
      destination: { write: (line) => void lines.push(line) },
    }),
    now: () => Date.now() + clockStepMs,
    signal: stop.signal,
    async *watch() {
      attempts += 1;
      // A step of the clock must not look like events that worked for a while.
      clockStepMs += 120_000;
      if (attempts === 6) enough.resolve();
      yield* [];
    },
    reconnectMs: 8,
  });
  await keeper.look();
  const beganMs = performance.now();
  const running = keeper.run();
  await enough.promise;
  // Pauses of 8, 16, 32, 64 and 128 ms; timers of Node.js may fire a millisecond early.
  const pausedMs = performance.now() - beganMs;
  stop.abort();
  await running;
  assert.ok(pausedMs >= 240, `${pausedMs} ms`);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['lost the event stream of the engine'],
  );
});

test('ContainerKeeper lets the systems of a node start it, again after a failure, and starts other containers meanwhile', async () => {
  const brought: string[] = [];
  const first = Promise.withResolvers<void>();
  const systems: NonNullable<KeepInit['systems']> = {
    knows: (service) => service === 'node01',
    containerOf: async () => 'node01',
    async bring(service) {
      brought.push(service);
      if (brought.length > 1) return 'started';
      await first.promise;
      throw new Error('the engine is away');
    },
  };
  await using kept = await keepWith(systems, 'node01', 'time');
  kept.fake.tell('died', 'node01');
  await until(() => brought.length === 1);
  kept.fake.tell('died', 'time');
  await until(() => kept.fake.starts.length > 0);
  assert.deepEqual([kept.fake.starts, brought], [['time'], ['node01']]);
  first.resolve();
  await until(() => brought.length > 1 && kept.keeper.starts.has('node01'));
  assert.ok(!kept.fake.starts.includes('node01'), 'the keeper of containers never starts it itself');
});

test('ContainerKeeper asks seldom about a node that ends while its systems are put in order, and brings it again then', async () => {
  const brought: string[] = [];
  const first = Promise.withResolvers<void>();
  const systems: NonNullable<KeepInit['systems']> = {
    knows: () => true,
    containerOf: async () => 'node01',
    async bring(service) {
      brought.push(service);
      if (brought.length === 1) await first.promise;
      return 'started';
    },
  };
  await using kept = await keepWith(systems, 'node01');
  kept.fake.tell('died', 'node01');
  await until(() => brought.length === 1);
  kept.fake.tell('died', 'node01');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { questions } = kept.fake;
  assert.ok(questions <= 3, `${questions} questions`);
  first.resolve();
  await until(() => brought.length === 2);
});

test('ContainerKeeper brings a node that has ended by itself before the keeper was there, and none that was stopped', async () => {
  const startsOf = async (exitCode: number) => {
    const brought: string[] = [];
    const fake = new FakeEngine();
    fake.exitCode = exitCode;
    fake.containers.set('node01', false).set('time', false);
    await using _kept = await keepAll(fake, {
      knows: (service) => service === 'node01',
      containerOf: async () => 'node01',
      async bring(service) {
        brought.push(service);
        fake.containers.set('node01', true);
        return 'started';
      },
    });
    // The delay before a restart is one second.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return [...brought, ...fake.starts];
  };
  const codes = [1, 73, 0, 137, 143];
  assert.deepEqual(await Promise.all(codes.map(startsOf)), [['node01'], ['node01'], [], [], []]);
});
