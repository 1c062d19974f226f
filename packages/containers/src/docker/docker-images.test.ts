import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createDockerImages } from './docker-images.ts';
import type { Engine, EngineWork } from './open-engine.ts';

const whole = (name: string) => (name.includes('/') ? name : `docker.io/library/${name}`);

/** The image names of an engine; every pull returns the image `pulled`, of one platform. */
class FakeEngine implements Engine {
  readonly socketPath = '/run/engine.sock';
  readonly tags: Map<string, string>;
  readonly #architecture: string;

  constructor(tags: Readonly<Record<string, string>>, architecture = 'amd64') {
    this.tags = new Map(Object.entries(tags));
    this.#architecture = architecture;
  }

  call<T>(_name: string, _what: string, _options: unknown, work: EngineWork<T>): Promise<T> {
    return work(this.#docker() as unknown as Parameters<EngineWork<T>>[0], new AbortController().signal);
  }

  wait = this.call;

  #docker() {
    const idOf = (name: string) => {
      const id = this.tags.get(whole(name)) ?? (name.startsWith('id-') ? name : undefined);
      if (id === undefined) throw new Fault('not-found', `no such image: ${name}`);
      return id;
    };
    return {
      version: async () => ({ Os: 'linux', Arch: 'amd64' }),
      listImages: async () =>
        [...new Set(this.tags.values())].map((Id) => ({
          Id,
          RepoTags: [...this.tags].flatMap(([tag, id]) => (id === Id ? [tag] : [])),
          Size: 1,
          Created: 0,
        })),
      pull: async (name: string) => {
        this.tags.set(whole(name), 'id-pulled');
        return (async function* () {})();
      },
      getImage: (name: string) => ({
        inspect: async () => ({ Id: idOf(name), Os: 'linux', Architecture: this.#architecture }),
        tag: async ({ repo, tag }: { repo: string; tag: string }) => {
          this.tags.set(`${repo}:${tag}`, idOf(name));
        },
        remove: async () => {
          if (!this.tags.delete(whole(name))) throw new Fault('not-found', `no such image: ${name}`);
        },
      }),
    };
  }
}

function imagesIn(engine: FakeEngine) {
  const scope = { cluster: 'c', node: 'node01' };
  return createDockerImages({ engine, scope, namespace: 'system', given: [], pullRetries: 1 });
}

async function pull(engine: FakeEngine, reference: string) {
  const steps = await Array.fromAsync(imagesIn(engine).pull(reference));
  return steps.at(-1);
}

const othersOf = ({ tags }: FakeEngine) =>
  Object.fromEntries([...tags].filter(([tag]) => !tag.startsWith('nodewright.invalid/')));

test('pull() holds the image, and keeps the names of others unchanged', async () => {
  const name = 'registry.example/app:v1';
  const before = { [name]: 'id-of-somebody', 'registry.example/other:v1': 'id-other' };
  const engine = new FakeEngine(before);
  const done = await pull(engine, name);
  assert.ok(done?.kind === 'done' && done.image.digest === 'id-pulled', JSON.stringify(done));
  assert.deepEqual(othersOf(engine), before);
  assert.deepEqual(await imagesIn(engine).list(), [done.image]);
});

test('pull() leaves no new name, also for an image that it refuses', async () => {
  const engine = new FakeEngine({});
  await pull(engine, 'registry.example/app:v1');
  assert.deepEqual(othersOf(engine), {});
  const befores: Record<string, string>[] = [{}, { 'registry.example/app:v1': 'id-of-somebody' }];
  for (const before of befores) {
    const foreign = new FakeEngine(before, 'arm64');
    await assert.rejects(pull(foreign, 'registry.example/app:v1'), { kind: 'failed-precondition' });
    assert.deepEqual(Object.fromEntries(foreign.tags), before);
  }
});
