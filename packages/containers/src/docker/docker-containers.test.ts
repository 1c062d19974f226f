import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogProgress } from '../container-runtime.ts';
import { createDockerContainers } from './docker-containers.ts';
import type { Engine, EngineWork } from './open-engine.ts';

/** An engine with one container, whose log drops its beginning as those of an engine do. */
class LogEngine implements Engine {
  readonly socketPath = '/run/engine.sock';
  readonly asked: (string | undefined)[] = [];
  stored: string[] = [];

  call<T>(_name: string, _what: string, _options: unknown, work: EngineWork<T>): Promise<T> {
    return work(this.#docker() as unknown as Parameters<EngineWork<T>>[0], new AbortController().signal);
  }

  wait = this.call;

  #docker() {
    const found = {
      Id: 'c1',
      Created: '',
      Config: { Labels: {}, Image: 'id' },
      State: { Status: 'running' },
    };
    return {
      listContainers: async () => [{ Id: 'c1' }],
      getContainer: () => ({ inspect: async () => found }),
      modem: {
        dial: (
          { options: { since } }: { options: { since?: string } },
          answer: (error: undefined, stream: AsyncIterable<Uint8Array>) => void,
        ) => {
          this.asked.push(since);
          answer(undefined, frames(since === undefined ? this.stored : this.stored.slice(-1)));
        },
      },
    };
  }
}

async function* frames(lines: readonly string[]) {
  for (const line of lines) {
    const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(line.length, 4);
    yield Buffer.concat([header, Buffer.from(line)]);
  }
}

function open() {
  const engine = new LogEngine();
  const { logs } = createDockerContainers({
    ...{
      engine,
      scope: { cluster: 'c', node: 'node01' },
      namespace: 'system',
      node: undefined,
      inherited: [],
    },
    images: { idOf: async () => 'id' },
  });
  const progress: LogProgress = {};
  const read = async () => Buffer.concat(await Array.fromAsync(logs('etcd', { progress }))).toString();
  return { engine, progress, read };
}

test('logs() of a short log goes on at its position', async () => {
  const { engine, read } = open();
  engine.stored = ['one\n'];
  assert.equal(await read(), 'one\n');
  engine.stored.push('two\n');
  assert.equal(await read(), 'two\n');
  assert.deepEqual(engine.asked, [undefined, undefined]);
});

test('logs() of a long log goes on at the time of the last output, as the engine drops old output', async () => {
  const { engine, progress, read } = open();
  engine.stored = Array.from({ length: 21 }, () => `${'x'.repeat(1024 ** 2 - 1)}\n`);
  const beganMs = Date.now();
  assert.equal((await read()).length, 21 * 1024 ** 2);
  const { readAtMs = 0 } = progress;
  assert.ok(readAtMs >= beganMs);
  for (const line of ['one\n', 'two\n']) {
    engine.stored = ['kept\n', line];
    assert.equal(await read(), line);
  }
  assert.equal(engine.asked[1], (readAtMs / 1000).toFixed(3));
  assert.equal(progress.positionBytes, 21 * 1024 ** 2 + 8);
});
