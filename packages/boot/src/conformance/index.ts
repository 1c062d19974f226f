// The tests that every implementation of `BootLoader` must pass, with the firmware and the disk below it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootLoader, LoadedKernel } from '../loader/boot-loader.ts';
import { type Slot, slots } from '../slot/slot.ts';

export interface InstalledKernel extends LoadedKernel {
  readonly rootHash: string;
}

export class PowerFailure extends Error {}

/** A boot loader with what is below it. */
export interface BootLoaderBench {
  readonly loader: BootLoader;
  /** False when its systems have no kernel that could take over. Default: true. */
  readonly hasKernels?: boolean;
  /** Makes the slot a boot entry that is complete. */
  install(slot: Slot, content: InstalledKernel): void;
  /** Leaves the files of the slot, and removes what makes them complete. */
  spoil(slot: Slot): void;
  /** Changes a byte of the kernel. */
  damageKernel(slot: Slot): void;
  /** Damages the stored choice. */
  loseChoice(): void;
  /** What the machine starts; the loader has forgotten then what it starts once. */
  start(): Slot | undefined;
  /** The power fails right after so many writes: the call rejects with a PowerFailure. Undefined: it does not fail. */
  failAfter(writes: number | undefined): void;
  /** A text that changes with everything on the disk that no boot loader may change: the menu, and the files of slots. */
  untouchable(): string;
}

const contentOf = (slot: Slot): InstalledKernel => {
  const rootHash = slot.toLowerCase().repeat(64);
  return {
    rootHash,
    kernel: Buffer.from(`kernel of ${slot}`),
    initramfs: Buffer.from(`initramfs of ${slot}`),
    commandLine: `console=ttyS0 nodewright.slot=${slot} nodewright.extensions= nodewright.roothash=${rootHash}`,
  };
};
const systemOf = (slot: Slot) => ({ slot, rootHash: contentOf(slot).rootHash });

/** More than any change needs. */
const mostWrites = 5;

/** Declares the tests of the suite for one implementation. */
export function testBootLoader(label: string, open: () => BootLoaderBench): void {
  const check = (title: string, body: (bench: BootLoaderBench) => Promise<void>) =>
    test(`${label}: ${title}`, async () => {
      const bench = open();
      for (const slot of slots) bench.install(slot, contentOf(slot));
      await body(bench);
    });

  check('systems are listed, and nothing is stored on a new disk', async ({ loader }) => {
    const entries = slots.map(systemOf);
    assert.deepEqual(await loader.state(), { entries, default: undefined, once: undefined });
  });

  check('a slot that is not complete is no entry', async (bench) => {
    bench.spoil('B');
    assert.deepEqual((await bench.loader.state()).entries, [systemOf('A')]);
  });

  check('what is chosen once is started once', async ({ loader, start }) => {
    await loader.confirm('A');
    await loader.chooseOnce('B');
    const { default: byDefault, once } = await loader.state();
    assert.deepEqual([byDefault, once], ['A', 'B']);
    assert.deepEqual([start(), start(), start()], ['B', 'A', 'A']);
    assert.equal((await loader.state()).once, undefined);
  });

  check('what is confirmed is started from now on, and nothing else once', async ({ loader, start }) => {
    await loader.chooseOnce('A');
    await loader.confirm('B');
    const { default: byDefault, once } = await loader.state();
    assert.deepEqual([byDefault, once], ['B', undefined]);
    assert.deepEqual([start(), start()], ['B', 'B']);
  });

  check('a choice that is reverted leaves the default', async ({ loader, start }) => {
    await loader.confirm('B');
    await loader.chooseOnce('A');
    await loader.revert();
    await loader.revert();
    assert.deepEqual([start(), (await loader.state()).default], ['B', 'B']);
  });

  check('a slot without a system cannot be chosen, and nothing changes', async (bench) => {
    const { loader } = bench;
    await loader.confirm('A');
    bench.spoil('B');
    await assert.rejects(loader.chooseOnce('B'), { kind: 'failed-precondition' });
    await assert.rejects(loader.confirm('B'), { kind: 'failed-precondition' });
    if (bench.hasKernels !== false) await assert.rejects(loader.loadForKexec('B'), { kind: 'not-found' });
    assert.deepEqual(await loader.state(), { entries: [systemOf('A')], default: 'A', once: undefined });
  });

  check('a kernel is loaded as it is on the disk, and not when a byte was changed', async (bench) => {
    const { rootHash, ...kernel } = contentOf('B');
    if (bench.hasKernels === false)
      return assert.rejects(bench.loader.loadForKexec('B'), { kind: 'failed-precondition' });
    assert.deepEqual(await bench.loader.loadForKexec('B'), kernel);
    bench.damageKernel('B');
    await assert.rejects(bench.loader.loadForKexec('B'), {
      kind: 'data-loss',
      message: /vmlinuz differs from its digest/,
    });
    assert.notEqual(rootHash, '');
  });

  check('a damaged choice counts as none, and can be stored again', async (bench) => {
    const { loader } = bench;
    await loader.confirm('B');
    await loader.chooseOnce('A');
    bench.loseChoice();
    const { default: byDefault, once } = await loader.state();
    assert.deepEqual([byDefault, once], [undefined, undefined]);
    await loader.confirm('B');
    assert.equal(bench.start(), 'B');
  });

  check('no change touches the menu or a file of a slot', async (bench) => {
    const { loader, untouchable } = bench;
    const before = untouchable();
    await loader.confirm('B');
    await loader.chooseOnce('A');
    await loader.revert();
    if (bench.hasKernels !== false) await loader.loadForKexec('A');
    bench.start();
    assert.equal(untouchable(), before);
    bench.damageKernel('A');
    assert.notEqual(untouchable(), before, 'the bench can tell');
  });

  check(
    'a power cut leaves the choice before a change, the one after it, or the default before it',
    async () => {
      const changes: [string, (loader: BootLoader) => Promise<void>, readonly [Slot, Slot]][] = [
        ['choose once', (loader) => loader.chooseOnce('B'), ['B', 'A']],
        ['confirm', (loader) => loader.confirm('B'), ['B', 'B']],
        ['revert', (loader) => loader.revert(), ['A', 'A']],
      ];
      for (const [name, change, after] of changes)
        for (const once of [undefined, ...slots]) await cutEverywhere(name, change, once, after);
    },
  );

  /** @param once what was to be started once before the change; A is the default */
  async function cutEverywhere(
    name: string,
    change: (loader: BootLoader) => Promise<void>,
    once: Slot | undefined,
    after: readonly [Slot, Slot],
  ): Promise<void> {
    for (let writes = 1; writes < mostWrites; writes += 1) {
      const bench = open();
      for (const slot of slots) bench.install(slot, contentOf(slot));
      await bench.loader.confirm('A');
      if (once !== undefined) await bench.loader.chooseOnce(once);
      bench.failAfter(writes);
      const isCut = await change(bench.loader).then(
        () => false,
        (error: unknown) => {
          if (error instanceof PowerFailure) return true;
          throw error;
        },
      );
      bench.failAfter(undefined);
      const found = [bench.start(), bench.start()].join();
      const allowed = isCut ? [`${once ?? 'A'},A`, 'A,A', after.join()] : [after.join()];
      assert.ok(allowed.includes(found), `${name} with ${once} before: ${found} after ${writes} writes`);
      if (!isCut) return;
    }
    assert.fail(`${name} does not end`);
  }
}
