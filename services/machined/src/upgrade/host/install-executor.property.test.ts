import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { blankBytes, sectorBytes } from '@nodewright/disk';
import fc from 'fast-check';
import { diskContent } from '../domain/install-content.ts';
import { installTarget, planInstall, smallestDiskBytes } from '../domain/install-plan.ts';
import {
  PowerCut,
  SimulatedInstallDisk,
  simulatedFiles,
  startedSystem,
} from '../testing/simulated-install.ts';
import { runInstall } from './install-executor.ts';

const mib = 1 << 20;

interface Installation {
  readonly name: string;
  readonly imageBytes: number;
  readonly marksMbr: boolean;
  /** Sectors that are written before the power fails; it does not when there are fewer. */
  readonly cutAfter: number;
}

/** @returns whether it ended */
async function install(disk: SimulatedInstallDisk, { name, imageBytes, marksMbr, cutAfter }: Installation) {
  disk.sectorsLeft = cutAfter;
  const target = installTarget({
    ...{ disk: '/dev/vda', sectors: disk.sectors, marksMbr, imageBytes, newGuid: randomUUID },
  });
  try {
    await runInstall(planInstall(target), {
      ...{ port: disk, files: simulatedFiles(disk, name), target, report: () => {} },
      signal: new AbortController().signal,
    });
    return true;
  } catch (error) {
    assert.ok((error as Error).cause instanceof PowerCut, String(error));
    return false;
  }
}

const contentOf = (disk: SimulatedInstallDisk) =>
  diskContent(
    disk.bytes(0, blankBytes),
    disk.bytes(disk.sectors * sectorBytes - blankBytes, blankBytes),
    disk.sectors,
  );

const installation = (name: string) =>
  fc.record({
    name: fc.constant(name),
    imageBytes: fc.integer({ min: 0, max: 300 * mib }),
    marksMbr: fc.boolean(),
    cutAfter: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 260 })),
  });

test('an installation that the power cuts leaves the old system, the new one, or a disk that starts nothing', async () => {
  const seen = { old: 0, new: 0, nothing: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        moreMib: fc.integer({ min: 0, max: 5000 }),
        hasOld: fc.boolean(),
        attempts: fc.array(installation('new'), { minLength: 1, maxLength: 4 }),
        kept: fc.infiniteStream(fc.boolean()),
      }),
      async ({ moreMib, hasOld, attempts, kept }) => {
        const bytes = Math.ceil(smallestDiskBytes(300 * mib) / mib) * mib + moreMib * mib;
        const disk = new SimulatedInstallDisk(bytes / sectorBytes);
        const old = {
          name: 'old',
          imageBytes: 90 * mib,
          marksMbr: false,
          cutAfter: Number.POSITIVE_INFINITY,
        };
        if (hasOld) assert.ok(await install(disk, old));
        disk.restart(() => true);
        for (const attempt of attempts) {
          const before = startedSystem(disk);
          const ended = await install(disk, attempt);
          disk.restart(() => kept.next().value as boolean);
          const after = startedSystem(disk);
          assert.ok(
            ended ? after === 'new' : [before, 'nothing', 'new'].includes(after),
            `${before}: ${after}`,
          );
          seen[after as keyof typeof seen] += 1;
          // Without an old system the next attempt needs no permission to wipe.
          if (!hasOld && after === 'nothing') assert.match(contentOf(disk).content, /^(?:blank|begun)$/);
          if (after !== 'nothing') assert.equal(contentOf(disk).content, 'system');
        }
        assert.ok(await install(disk, { ...old, name: 'new' }));
        assert.equal(startedSystem(disk), 'new');
      },
    ),
    { numRuns: 60 },
  );
  for (const [outcome, times] of Object.entries(seen)) assert.ok(times > 0, `${outcome}: ${times} times`);
});
