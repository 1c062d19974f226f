import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerRuntime, RuntimeNamespace } from '@nodewright/containers';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource } from '@nodewright/state';
import { kubeletSpecs } from '@nodewright/state/kinds';
import { openContainers } from '../open-containers.ts';

const hour = 3_600_000;
const repository = 'ghcr.io/siderolabs/kubelet';

/** A runtime with two versions of the kubelet's image. */
class TwoImages {
  readonly images = new Map([
    [`${repository}:v1.35.0`, 1],
    [`${repository}:v1.36.0`, 2],
  ]);
  /** The images of the containers that exist. */
  readonly used: string[] = [];
  isAway = false;
  lists = 0;

  get runtime(): ContainerRuntime {
    const namespace = (name: string) => {
      assert.equal(name, 'system');
      return {
        images: {
          list: async () => {
            this.lists += 1;
            if (this.isAway) throw new Fault('unavailable', 'containerd does not answer');
            return [...this.images].map(([reference, createdAtMs]) => ({ reference, createdAtMs }));
          },
          remove: async (reference: string) => void this.images.delete(reference),
        },
        containers: { list: async () => this.used.map((image) => ({ image })) },
      } as unknown as RuntimeNamespace;
    };
    return { namespace } as unknown as ContainerRuntime;
  }
}

async function open(found: TwoImages, version: string) {
  const scope = new AsyncDisposableStack();
  let nowMs = 0;
  const { controllers } = openContainers(
    {
      ...{
        runtime: found.runtime,
        podLogs: undefined,
        artefacts: undefined,
        own: undefined,
        registryAddress: '127.0.0.1:3172',
      },
      ...{ imageCacheRoots: () => [], machine: undefined },
      removesOldImages: { now: () => nowMs },
    },
    scope,
  );
  const rig = scope.use(
    openTestRuntime({
      controllers: controllers.filter(({ name }) => name === 'runtime.CRIImageGCController'),
    }),
  );
  const spec = { image: `${repository}:${version}`, config: {} };
  await putResource(rig.state, { ...pointerTo(kubeletSpecs), spec } as never);
  await rig.settled();
  return {
    async pass(hours: number) {
      for (let each = 0; each < hours; each += 1) {
        nowMs += hour;
        await rig.advance(hour);
      }
      return [...found.images.keys()].map((reference) => reference.slice(repository.length + 1));
    },
    logged: rig.logged,
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

test('the image of an old kubelet is removed after three days without a name', async () => {
  const found = new TwoImages();
  await using node = await open(found, 'v1.36.0');
  assert.deepEqual(await node.pass(71), ['v1.35.0', 'v1.36.0']);
  assert.deepEqual(await node.pass(2), ['v1.36.0']);
  assert.deepEqual(
    node.logged.map(({ image }) => image),
    [`${repository}:v1.35.0`],
  );
});

test('the runtime is not called in the first hour, in which it may not be up yet', async () => {
  const found = new TwoImages();
  await using node = await open(found, 'v1.36.0');
  assert.equal(found.lists, 0);
  await node.pass(1);
  assert.equal(found.lists, 1);
});

test('an image stays while a container is made from it, and while the runtime is away', async () => {
  const found = new TwoImages();
  found.used.push(`${repository}:v1.35.0`);
  await using node = await open(found, 'v1.36.0');
  assert.deepEqual(await node.pass(80), ['v1.35.0', 'v1.36.0']);
  found.used.length = 0;
  found.isAway = true;
  assert.deepEqual(await node.pass(80), ['v1.35.0', 'v1.36.0']);
  assert.deepEqual(node.logged, []);
  // Nobody has seen it without a name yet.
  found.isAway = false;
  assert.deepEqual(await node.pass(71), ['v1.35.0', 'v1.36.0']);
  assert.deepEqual(await node.pass(3), ['v1.36.0']);
});
