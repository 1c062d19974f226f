import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogProgress, RuntimeEvent } from '../container-runtime.ts';
import { type Bench, type BenchTest, faultOf, logText, outputOf, run, shell } from './in-runtime.ts';

/** Prints `ready`, and exits with 7 on SIGTERM. */
const waits = shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done');

/** Checks of containers and their tasks: their permissions, their exits and their events. */
export function testContainers(test: BenchTest): void {
  test('a container has no task before it is started, then a running one, then an exited one', async (bench) => {
    const { system, reference, newId } = bench;
    const id = newId();
    const labels = { role: 'test', other: 'a=b' };
    const created = await system.containers.create({ id, image: reference, command: waits, labels });
    assert.deepEqual(
      { ...created, internalId: '', createdAtMs: 0 },
      { id, image: reference, labels, internalId: '', createdAtMs: 0 },
    );
    await assert.rejects(system.containers.wait(id), faultOf('not-found'));
    const pid = await system.containers.start(id);
    assert.deepEqual((await system.containers.get(id)).task, { status: 'running', pid });
    await assert.rejects(system.containers.start(id), faultOf('failed-precondition', /running/));
    await assert.rejects(system.containers.remove(id), faultOf('failed-precondition', /running/));
    await untilReady(bench, id);
    const ended = system.containers.wait(id);
    await system.containers.kill(id, 'SIGTERM');
    const exit = await ended;
    assert.equal(exit.code, 7);
    assert.ok(Math.abs(exit.atMs - Date.now()) < 30_000, `${exit.atMs}`);
    assert.deepEqual((await system.containers.get(id)).task, { status: 'stopped', exit });
    assert.deepEqual(await system.containers.wait(id), exit);
    await assert.rejects(system.containers.kill(id, 'SIGTERM'), faultOf('failed-precondition'));
    await assert.rejects(system.containers.stats(id), faultOf('failed-precondition'));
    await system.containers.remove(id);
    await assert.rejects(system.containers.get(id), faultOf('not-found', new RegExp(id)));
  });

  test('a task that is killed exits with 137, and a container can be started again', async (bench) => {
    const { system } = bench;
    await using container = await run(bench, { command: waits });
    await untilReady(bench, container.id);
    await system.containers.kill(container.id, 'SIGKILL');
    assert.equal((await system.containers.wait(container.id)).code, 137);
    const again = await system.containers.start(container.id);
    assert.notEqual(again, container.pid);
    assert.equal((await system.containers.get(container.id)).task?.status, 'running');
  });

  test('an id is unique in its namespace', async (bench) => {
    const { system, kubernetes, reference } = bench;
    await using container = await run(bench, { command: waits });
    const spec = { id: container.id, image: reference };
    await assert.rejects(system.containers.create(spec), faultOf('already-exists'));
    assert.deepEqual(await kubernetes.containers.list(), []);
    await assert.rejects(kubernetes.containers.get(container.id), faultOf('not-found'));
    await assert.rejects(
      system.containers.create({ ...spec, id: 'not an id' }),
      faultOf('invalid-argument', /not an id/),
    );
    await assert.rejects(
      system.containers.create({ ...spec, id: 'other', image: 'registry.example/none:v1' }),
      faultOf('not-found', /none:v1/),
    );
  });

  test('list() is sorted by id, and filters by labels', async (bench) => {
    const { system, reference } = bench;
    const ids = ['list-b', 'list-a', 'list-c'];
    for (const id of ids)
      await system.containers.create({ id, image: reference, labels: { kind: 'listed', which: id } });
    const listed = async (labels: Record<string, string>) =>
      (await system.containers.list({ labels })).map(({ id }) => id);
    assert.deepEqual(await listed({ kind: 'listed' }), [...ids].sort());
    assert.deepEqual(await listed({ kind: 'listed', which: 'list-a' }), ['list-a']);
    assert.deepEqual(await listed({ kind: 'none' }), []);
    for (const id of ids) await system.containers.remove(id);
  });

  test('command, environment, folder and user come from the specification, or from the image', async (bench) => {
    const own = await outputOf(bench, {});
    assert.deepEqual(own, { code: 0, text: 'from the image\n' });
    const given = await outputOf(bench, {
      command: shell('echo "$FROM_IMAGE $GIVEN $(pwd) $(id -u):$(id -g)"; exit 3'),
      environment: { GIVEN: 'a b' },
      workingDirectory: '/tmp',
      user: { uid: 60, gid: 61 },
    });
    assert.deepEqual(given, { code: 3, text: 'yes a b /tmp 60:61\n' });
    assert.match((await outputOf(bench, { command: ['/bin/id', '-u'] })).text, /^0\n$/);
  });

  test('start() fails when the command does not exist', async (bench) => {
    const { system, reference, newId } = bench;
    const id = newId();
    await system.containers.create({ id, image: reference, command: ['/bin/none'] });
    await assert.rejects(system.containers.start(id), (error: Error) => /none/.test(error.message));
    await system.containers.remove(id);
  });

  test('a container has only the permissions of its specification', async (bench) => {
    const script =
      'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; touch /x || echo read only; ls /sys/class/net';
    const { text } = await outputOf(bench, { command: shell(script) });
    assert.match(text, /CapBnd:\s+0000000000000000/);
    assert.match(text, /CapEff:\s+0000000000000000/);
    assert.match(text, /NoNewPrivs:\s+1/);
    assert.match(text, /read only/);
    const capable = await outputOf(bench, {
      command: shell('grep CapBnd /proc/self/status'),
      capabilities: ['CAP_NET_BIND_SERVICE'],
    });
    assert.match(capable.text, /CapBnd:\s+0000000000000400/);
    const writable = await outputOf(bench, {
      command: shell('touch /tmp/x && echo wrote'),
      readOnlyRoot: false,
    });
    assert.match(writable.text, /wrote/);
  });

  test('its network is its own, or that of the node', async (bench) => {
    const command = ['/bin/readlink', '/proc/self/ns/net'];
    const own = readlinkSync('/proc/self/ns/net');
    assert.equal((await outputOf(bench, { command, network: 'host' })).text.trim(), own);
    assert.notEqual((await outputOf(bench, { command })).text.trim(), own);
  });

  test('mounts show folders of the node and temporary file systems', async (bench) => {
    const folder = mkdtempSync(join(tmpdir(), 'mounts-'));
    try {
      writeFileSync(join(folder, 'in'), 'from outside\n');
      const mounts = [
        { kind: 'bind', source: folder, target: '/data' },
        { kind: 'bind', source: folder, target: '/shown', readOnly: true },
        { kind: 'memory', target: '/run', sizeBytes: 1 << 20, mode: 0o700 },
      ] as const;
      const script =
        'cat /data/in; echo out > /data/out; touch /shown/x || echo read only; grep " /run " /proc/mounts';
      const { text } = await outputOf(bench, { command: shell(script), mounts });
      assert.match(text, /^from outside$/m);
      assert.match(text, /read only/);
      assert.match(text, /tmpfs \/run tmpfs .*size=1024k/);
      assert.equal(readFileSync(join(folder, 'out'), 'utf8'), 'out\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('limits are enforced', async (bench) => {
    const { text } = await outputOf(bench, { command: shell('ulimit -n'), limits: { openFiles: 1234 } });
    assert.equal(text, '1234\n');
    // The shell doubles a text until it exceeds the memory limit.
    const eats = shell('a=0123456789; while :; do a=$a$a; done');
    const { code } = await outputOf(bench, { command: eats, limits: { memoryBytes: 16 << 20 } });
    assert.notEqual(code, 0);
  });

  test('a container starts even if its OOM score cannot be lowered', async (bench) => {
    const command = shell('echo "$GIVEN"; exit 4');
    const given = await outputOf(bench, { command, oomScoreAdjust: -998, environment: { GIVEN: 'kept' } });
    assert.deepEqual(given, { code: 4, text: 'kept\n' });
  });

  test('logs() has both outputs in order, limits the lines, and follows until the task ends', async (bench) => {
    const { system } = bench;
    await using container = await run(bench, {
      command: shell('echo one; sleep 0.1; echo two >&2; sleep 0.3; echo three'),
    });
    const followed: Uint8Array[] = [];
    for await (const part of system.containers.logs(container.id, { follow: true })) followed.push(part);
    assert.equal(Buffer.concat(followed).toString(), 'one\ntwo\nthree\n');
    assert.equal((await system.containers.wait(container.id)).code, 0);
    assert.equal(await logText(bench, container.id), 'one\ntwo\nthree\n');
    assert.equal(await logText(bench, container.id, 1), 'three\n');
    assert.equal(await logText(bench, container.id, 0), '');
    await assert.rejects(logText(bench, 'nobody'), faultOf('not-found'));
    const progress: LogProgress = {};
    for await (const part of system.containers.logs(container.id, { progress })) followed.push(part);
    for await (const part of system.containers.logs(container.id, { progress })) followed.push(part);
    assert.equal(Buffer.concat(followed).toString(), 'one\ntwo\nthree\n'.repeat(2));
  });

  test('logs() ends when its signal aborts', async (bench) => {
    await using container = await run(bench, { command: waits });
    const left = new AbortController();
    const reading = (async () => {
      for await (const part of bench.system.containers.logs(container.id, {
        follow: true,
        signal: left.signal,
      }))
        if (Buffer.from(part).includes('ready')) left.abort();
    })();
    await reading.catch(faultOf('cancelled'));
    assert.ok(left.signal.aborted);
  });

  test('stats() reports memory, and processor time that grows', async (bench) => {
    const { system } = bench;
    await using container = await run(bench, { command: shell('while :; do :; done') });
    const first = await system.containers.stats(container.id);
    assert.ok(first.memoryBytes > 0 && first.memoryBytes < 100 << 20, `${first.memoryBytes}`);
    const deadline = Date.now() + 120_000;
    for (;;) {
      const { cpuNanoseconds } = await system.containers.stats(container.id);
      if (cpuNanoseconds >= first.cpuNanoseconds + 50_000_000n) break;
      assert.ok(Date.now() < deadline, `${cpuNanoseconds} after ${first.cpuNanoseconds}`);
    }
  });

  test('another connection sees what this one has started', async (bench) => {
    await using container = await run(bench, { command: waits });
    await untilReady(bench, container.id);
    await using other = bench.host.openRuntime();
    const { containers } = other.namespace('system');
    assert.equal((await containers.get(container.id)).task?.status, 'running');
    const ended = containers.wait(container.id);
    await bench.system.containers.kill(container.id, 'SIGTERM');
    assert.equal((await ended).code, 7);
  });

  test('watchEvents() reports the life of a container in order, and only in its namespace', async (bench) => {
    const { system, kubernetes, newId, reference } = bench;
    const left = new AbortController();
    const seen: RuntimeEvent[] = [];
    const id = newId();
    const watching = kubernetes.watchEvents(left.signal)[Symbol.asyncIterator]();
    const elsewhere = watching.next();
    elsewhere.catch(() => {});
    const events = system.watchEvents(left.signal)[Symbol.asyncIterator]();
    let next = events.next();
    next.catch(() => {});
    await system.containers.create({ id, image: reference, command: shell('exit 5') });
    await system.containers.start(id);
    await system.containers.wait(id);
    await system.containers.remove(id);
    for (;;) {
      const { value, done } = await next;
      if (done) break;
      if ('id' in value && value.id === id) seen.push({ ...value, atMs: 0 });
      if (value.kind === 'container-removed' && value.id === id) break;
      next = events.next();
    }
    left.abort();
    assert.deepEqual(seen, [
      { kind: 'container-created', id, atMs: 0 },
      { kind: 'task-started', id, atMs: 0 },
      { kind: 'task-exited', id, code: 5, atMs: 0 },
      { kind: 'container-removed', id, atMs: 0 },
    ]);
    assert.deepEqual(await elsewhere, { value: undefined, done: true });
    await events.return?.();
  });

  test('watchEvents() reports images that are added and removed', async ({ system, reference }) => {
    const left = new AbortController();
    const events = system.watchEvents(left.signal)[Symbol.asyncIterator]();
    const target = 'registry.example/test/event:v1';
    const next = async (): Promise<string> => {
      const { value } = await events.next();
      return value?.kind.startsWith('image') && value.reference === target ? value.kind : next();
    };
    const first = next();
    await system.images.tag(reference, target);
    assert.equal(await first, 'image-added');
    const second = next();
    await system.images.remove(target);
    assert.equal(await second, 'image-removed');
    left.abort();
    await events.return?.();
  });
}

async function untilReady({ system }: Bench, id: string): Promise<void> {
  for await (const part of system.containers.logs(id, { follow: true }))
    if (Buffer.from(part).includes('ready')) return;
  throw new Error(`container "${id}" ended before it was ready`);
}
