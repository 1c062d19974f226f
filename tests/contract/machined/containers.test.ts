// A node of processes has no container runtime. Every call that needs one says so in one line, and none
// suggests that a retry helps.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { ImageServiceDefinition } from '@nodewright/contract/gen/machine/image.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { startNode } from './harness/node-under-test.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:admin');
const images = node.client(ImageServiceDefinition, 'os:admin');
const containerd = { driver: ContainerDriver.CONTAINERD, namespace: 1 } as const;

const drain = async (stream: AsyncIterable<unknown>) => {
  for await (const _message of stream);
};
async function* oneByOne<T>(...messages: T[]): AsyncGenerator<T> {
  yield* messages;
}

test('every call that needs a container runtime says that this node has none', async () => {
  const system = { namespace: 'system', driver: ContainerDriver.CONTAINERD };
  const details = 'no container runtime runs on this node: its services are processes';
  const calls = [
    machine.containers(system),
    machine.stats(system),
    machine.restart({ ...system, id: 'etcd' }),
    drain(machine.imageList({ namespace: 1 })),
    machine.imagePull({ namespace: 1, reference: 'registry.example/app:v1' }),
    drain(images.list({ containerd })),
    drain(images.pull({ containerd, imageRef: 'registry.example/app:v1' })),
    images.import(oneByOne({ request: { $case: 'containerd' as const, value: containerd } })),
    images.remove({ containerd, imageRef: 'registry.example/app:v1' }),
  ];
  for (const call of calls) await assert.rejects(call, { code: 9, details });
});

test('listing Kubernetes containers succeeds with none on a node without Kubernetes', async () => {
  const kubernetes = { namespace: 'k8s.io', driver: ContainerDriver.CRI };
  const { messages } = await machine.containers(kubernetes);
  assert.deepEqual(
    messages.map(({ containers }) => containers),
    [[]],
  );
  const { messages: stats } = await machine.stats(kubernetes);
  assert.deepEqual(
    stats.map((message) => message.stats),
    [[]],
  );
  await assert.rejects(machine.containers({ ...kubernetes, namespace: 'system' }));
});

test('an invalid request is refused before that', async () => {
  const wrong = { driver: ContainerDriver.CONTAINERD, namespace: 2 } as const;
  const refusals = [
    [drain(images.list({})), 'containerd instance is required'],
    [drain(images.list({ containerd: wrong })), 'cannot use CRI namespace with containerd driver'],
    [
      images.import(oneByOne({ request: { $case: 'imageChunk' as const, value: {} } })),
      'containerd instance is required',
    ],
    [drain(machine.imageList({ namespace: 0 })), 'unsupported namespace "0"'],
  ] as const;
  for (const [call, details] of refusals) await assert.rejects(call, { code: 3, details });
});

test('no image is called verified or not verified, because no signature is looked at', async () => {
  await assert.rejects(images.verify({ imageRef: 'registry.example/app:v1' }), {
    code: 12,
    details: /verification of image signatures/,
  });
});
