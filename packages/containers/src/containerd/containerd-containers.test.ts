import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Status } from '@nodewright/contract/gen/containerd/v1/types/task.ts';
import { createContainerdContainers } from './containerd-containers.ts';
import type { ContainerdContext } from './containerd-context.ts';
import { refuseLargeDocument } from './image-content.ts';

test('logs() without a reader do not wait for the end of the task', async () => {
  const logFolder = await mkdtemp(join(tmpdir(), 'containers-'));
  await mkdir(logFolder, { recursive: true });
  await writeFile(join(logFolder, 'one.log'), 'a line\n');
  let waiting: AbortSignal | undefined;
  const services = {
    containers: { get: async () => ({ container: { id: 'one', extensions: {} } }) },
    tasks: {
      get: async () => ({ process: { containerId: 'one', status: Status.RUNNING, pid: 1 } }),
      wait: (_: unknown, { signal }: { signal: AbortSignal }) => {
        waiting = signal;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    },
  };
  const containers = createContainerdContainers({
    context: { services, namespace: 'system' } as unknown as ContainerdContext,
    logFolder,
    cgroupRoot: '/',
    runtimeOptions: { typeUrl: '', value: Buffer.alloc(0) },
  });
  try {
    for await (const piece of containers.logs('one', { follow: true })) {
      assert.equal(String(Buffer.from(piece)), 'a line\n');
      assert.equal(waiting?.aborted, false);
      break;
    }
    assert.equal(waiting?.aborted, true);
  } finally {
    await rm(logFolder, { recursive: true });
  }
});

test('refuseLargeDocument() refuses a configuration that is too large to read', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  refuseLargeDocument({ mediaType: '', digest, size: 8 * 1024 * 1024 });
  const large = { mediaType: '', digest, size: 1e12 };
  assert.throws(() => refuseLargeDocument(large), { kind: 'data-loss' });
});
