import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { createDockerImages } from './docker-images.ts';
import type { Engine, EngineWork } from './open-engine.ts';

const whole = (name: string) => (name.includes('/') ? name : `docker.io/library/${name}`);
/** The digest that the registry has for every name. */
const digest = `sha256:${'d'.repeat(64)}`;
const repositoryOf = (name: string) => name.replace(/(@.*|:[^/]*)$/, '');

interface Registry {
  readonly architecture?: string;
  /** Whether the engine can tell the digest of a name. */
  readonly tellsDigests?: boolean;
  /** Delays each request of a node. */
  readonly delay?: () => Promise<unknown>;
}

/** The image names of an engine; every pull returns the image `id-pulled`, of one platform. */
class FakeEngine implements Engine {
  readonly socketPath = '/run/engine.sock';
  readonly tags: Map<string, string>;
  readonly #registry: Registry;
  readonly #images: Set<string>;
  readonly #events: object[] = [];

  constructor(tags: Readonly<Record<string, string>>, registry: Registry = {}) {
    this.tags = new Map(Object.entries(tags));
    this.#images = new Set(this.tags.values());
    this.#registry = registry;
  }

  async call<T>(_name: string, _what: string, _options: unknown, work: EngineWork<T>): Promise<T> {
    await this.#registry.delay?.();
    return work(this.#docker() as unknown as Parameters<EngineWork<T>>[0], new AbortController().signal);
  }

  wait = this.call;

  #docker() {
    const { architecture = 'amd64', tellsDigests = true } = this.#registry;
    const idOf = (name: string) => {
      const id = this.tags.get(whole(name)) ?? (name.startsWith('id-') ? name : undefined);
      if (id === undefined || !this.#images.has(id)) throw new Fault('not-found', `no such image: ${name}`);
      return id;
    };
    const namesOf = (id: string) => [...this.tags].flatMap(([name, of]) => (of === id ? [name] : []));
    return {
      version: async () => ({ Os: 'linux', Arch: 'amd64' }),
      listImages: async () =>
        [...new Set(this.tags.values())].map((Id) => ({
          Id,
          RepoTags: namesOf(Id).filter((name) => !name.includes('@')),
          Size: 1,
          Created: 0,
        })),
      pull: async (name: string) => {
        this.#images.add('id-pulled');
        this.tags.set(whole(name), 'id-pulled');
        this.tags.set(`${repositoryOf(whole(name))}@${digest}`, 'id-pulled');
        return (async function* () {})();
      },
      getEvents: async () => this.#events.map((event) => `${JSON.stringify(event)}\n`),
      getImage: (name: string) => ({
        distribution: async () => {
          if (!tellsDigests) throw new Fault('not-found', 'page not found');
          return { Descriptor: { digest } };
        },
        inspect: async () => ({
          Id: idOf(name),
          Os: 'linux',
          Architecture: architecture,
          RepoTags: namesOf(idOf(name)).filter((other) => !other.includes('@')),
          RepoDigests: namesOf(idOf(name)).filter((other) => other.includes('@')),
        }),
        tag: async ({ repo, tag }: { repo: string; tag: string }) => {
          this.tags.set(`${repo}:${tag}`, idOf(name));
        },
        remove: async () => {
          const id = this.tags.get(whole(name)) ?? '';
          if (!this.tags.delete(whole(name))) throw new Fault('not-found', `no such image: ${name}`);
          this.#events.push({
            Type: 'image',
            Action: 'untag',
            Actor: { ID: id },
            timeNano: Date.now() * 1e6,
          });
          // Digests of a repository go with its last tag.
          const rest = [...this.tags.keys()].filter(
            (each) => repositoryOf(each) === repositoryOf(whole(name)),
          );
          if (!name.includes('@') && rest.every((each) => each.includes('@')))
            for (const each of rest) this.tags.delete(each);
          // An image goes away when its last name is removed, but not when that is given to another image.
          if (namesOf(id).length === 0) this.#images.delete(id);
        },
      }),
    };
  }
}

function imagesIn(engine: FakeEngine, node = 'node01') {
  const scope = { cluster: 'c', node };
  return createDockerImages({ engine, scope, namespace: 'system', given: [], pullRetries: 1 });
}

async function pull(engine: FakeEngine, reference: string, node?: string) {
  const steps = await Array.fromAsync(imagesIn(engine, node).pull(reference));
  return steps.at(-1);
}

const othersOf = ({ tags }: FakeEngine) =>
  Object.fromEntries([...tags].filter(([tag]) => !tag.startsWith('nodewright.invalid/')));

test('pull() holds the image, and keeps the names of others unchanged', async () => {
  const name = 'registry.example/app:v1';
  const before = { [name]: 'id-of-somebody', 'registry.example/other:v1': 'id-other' };
  const engine = new FakeEngine(before);
  const done = await pull(engine, name);
  assert.ok(done?.kind === 'done' && done.image.digest === digest, JSON.stringify(done));
  assert.deepEqual(othersOf(engine), before);
  assert.deepEqual(await imagesIn(engine).list(), [done.image]);
});

test('pull() leaves no new name, also for an image that it refuses', async () => {
  const engine = new FakeEngine({});
  await pull(engine, 'registry.example/app:v1');
  assert.deepEqual(othersOf(engine), {});
  const befores: Record<string, string>[] = [{}, { 'registry.example/app:v1': 'id-of-somebody' }];
  for (const before of befores) {
    const foreign = new FakeEngine(before, { architecture: 'arm64' });
    await assert.rejects(pull(foreign, 'registry.example/app:v1'), { kind: 'failed-precondition' });
    assert.deepEqual(Object.fromEntries(foreign.tags), before);
  }
});

test('remove() with digests leaves nothing of a node, once the last tag of the repository is removed', async () => {
  const name = 'registry.example/app:v1';
  const engine = new FakeEngine({ [name]: 'id-of-somebody' });
  const images = imagesIn(engine);
  const pinned = `registry.example/app@${digest}`;
  for (const reference of [name, pinned]) await pull(engine, reference);
  await images.tag(name, 'registry.example/app:v2');
  await images.remove(name, { withDigests: true });
  const held = (await images.list()).map(({ reference }) => reference);
  assert.deepEqual(held, ['registry.example/app:v2', pinned]);
  await images.remove('registry.example/app:v2', { withDigests: true });
  assert.deepEqual(Object.fromEntries(engine.tags), { [name]: 'id-of-somebody' });
  for (const reference of [name, pinned]) await pull(engine, reference);
  await images.remove(name);
  assert.deepEqual(
    (await images.list()).map(({ reference }) => reference),
    [pinned],
  );
});

test('an engine that cannot tell the digest of a name pulls by the name, and gives it back', async () => {
  const name = 'registry.example/app:v1';
  const befores: Record<string, string>[] = [{}, { [name]: 'id-of-somebody' }];
  for (const before of befores) {
    const engine = new FakeEngine(before, { tellsDigests: false });
    assert.equal((await pull(engine, name))?.kind, 'done');
    assert.equal(othersOf(engine)[name], Object.values(before)[0]);
  }
});

test('nodes that pull one image at the same time leave the names of others as they were, in any order of their requests', async () => {
  const name = 'registry.example/app:v1';
  const pinned = `registry.example/app@${digest}`;
  const befores: Record<string, string>[] = [
    {},
    { [name]: 'id-of-somebody' },
    { [name]: 'id-pulled', [pinned]: 'id-pulled' },
    { [pinned]: 'id-pulled' },
  ];
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.constantFrom(...befores), async (scheduler, before) => {
      const engine = new FakeEngine(before, { delay: () => scheduler.schedule(Promise.resolve()) });
      const nodes = ['node01', 'node02', 'node03'];
      const pulls = Promise.all(nodes.map((node) => pull(engine, name, node)));
      const done = await scheduler.waitFor(pulls);
      assert.deepEqual([done.map((step) => step?.kind), othersOf(engine)], [nodes.map(() => 'done'), before]);
    }),
    { numRuns: 300, seed: 20 },
  );
});
