import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerRuntime } from '@nodewright/containers';
import { ContainerDriver, ContainerdNamespace } from '@nodewright/contract/gen/common/common.ts';
import { createImageService } from './image-service.ts';

test('remove() of a name removes what was made with it by digest, in the namespace of the call', async () => {
  const removed: unknown[] = [];
  const runtime = {
    namespace: (namespace: string) => ({
      images: {
        remove: async (reference: string, { withDigests }: { withDigests?: boolean }) =>
          void removed.push([namespace, reference, withDigests]),
      },
    }),
  } as unknown as ContainerRuntime;
  const imageRef = 'registry.example/app:v1';
  const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI } as const;
  const { signal } = new AbortController();
  const { remove } = createImageService(runtime);
  await remove({ containerd, imageRef }, { signal } as Parameters<typeof remove>[1]);
  assert.deepEqual(removed, [['k8s.io', imageRef, true]]);
});
