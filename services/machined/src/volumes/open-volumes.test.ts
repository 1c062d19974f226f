import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeCalls } from '@nodewright/linux';
import { MemoryState } from '@nodewright/state';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { worlds } from '../base/domain/world.ts';
import { openVolumes } from './open-volumes.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

/** The calls of a kernel that must not be asked anything. */
const forbidden = new Proxy({} as NativeCalls, {
  get: (_target, name) => assert.fail(`the node used ${String(name)}`),
});

async function openIn(world: (typeof worlds)[keyof typeof worlds], machine?: 'machine') {
  const used: string[] = [];
  const volumes = await openVolumes({
    root: '/nosuch',
    machine: machine && {
      ...{ calls: forbidden, startedDisk: undefined },
      detachVolumes: () => assert.fail('volumes were detached'),
      mountVarInMemory: () => assert.fail('/var was mounted'),
    },
    folders: {
      async finish() {
        used.push('finish');
        return undefined;
      },
      wipe: async (ids: readonly string[]) => void used.push(`wipe ${ids}`),
    },
    selectors: { select: () => assert.fail('there is no selector') },
    ...{ world, hasContainers: false, state: new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) }) },
    announceWipe: () => assert.fail('a device was wiped'),
    ...{ telemetry: noTelemetry, log },
  });
  return { volumes, used };
}

test('a node without calls of its machine has neither partitions nor disks, and wipes folders', async () => {
  for (const world of Object.values(worlds)) {
    const { volumes, used } = await openIn(world);
    assert.deepEqual([volumes.partitions, volumes.ownsDisks, used], [undefined, false, ['finish']]);
    await volumes.started(new AbortController().signal);
    await volumes.wipe({ volumes: ['STATE'], isWhole: false });
    assert.deepEqual(used, ['finish', 'wipe STATE']);
  }
});

test('a node that owns no disks uses no call of a kernel, also when it is handed them', async () => {
  for (const world of [worlds.process, worlds.stack, worlds.container]) {
    const { volumes } = await openIn(world, 'machine');
    assert.deepEqual([volumes.partitions, volumes.ownsDisks], [undefined, false]);
  }
});
