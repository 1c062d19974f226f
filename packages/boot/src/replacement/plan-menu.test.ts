import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceEnvironment, slotChoiceIn } from '../grub/choice-variables.ts';
import { parseEnvironmentBlock } from '../grub/environment-block.ts';
import { genericMenu } from '../grub/generic-menu.ts';
import { grubMenu } from '../grub/menu.ts';
import { slotEntry } from '../grub/slot-entry.ts';
import { JournaledFiles } from '../testing/old-disk.ts';
import type { LoaderStep } from './loader-step.ts';
import { planMenu } from './plan-menu.ts';

const entry = { slot: 'A', tag: 'v1.14.0', commandLine: 'panic=10 nodewright.slot=A' } as const;
const oldMenu = grubMenu([entry], 3);

const stepsOf = (menu: string): readonly LoaderStep[] => {
  const plan = planMenu(menu);
  return 'steps' in plan ? plan.steps : assert.fail(plan.refusal);
};

type Read = (path: string) => Buffer | undefined;

/** Why GRUB would not start slot A. */
function problem(read: Read): string | undefined {
  const menu = read('grub/grub.cfg')?.toString();
  if (menu === oldMenu) return undefined;
  if (menu !== genericMenu()) return `the menu is ${menu}`;
  const { default: slot } = slotChoiceIn(parseEnvironmentBlock(read('grub/grubenv') ?? Buffer.of()));
  if (slot !== 'A') return 'the environment block is not whole';
  return read('A/entry.cfg')?.toString() === slotEntry(entry) ? undefined : 'the entry is not whole';
}

const disk = () => new JournaledFiles({ 'grub/grub.cfg': oldMenu, 'A/SHA256SUMS': '', 'A/roothash': '' });

/** Follows the steps, and asks after each one what GRUB would read for every mixture of what is not written to its place. */
function problemsOf(steps: readonly LoaderStep[]): string[] {
  const files = disk();
  return steps.flatMap((step) => {
    files.follow(step);
    const { pendingCount } = files;
    return Array.from({ length: 2 ** pendingCount }, (_, mixture) =>
      problem(files.asGrubReads((change) => (mixture & (1 << change)) !== 0)),
    ).filter((found) => found !== undefined);
  });
}

test('GRUB reads the old menu or the new one with all that it needs, wherever the power fails', () => {
  const steps = stepsOf(oldMenu);
  assert.deepEqual(problemsOf(steps), []);
  const files = disk();
  for (const step of steps) files.follow(step);
  const read: Read = (path) => files.asGrubReads(() => false)(path);
  assert.equal(read('grub/grub.cfg')?.toString(), genericMenu());
  assert.equal(read('A/cmdline')?.toString(), `${entry.commandLine}\n`);
  assert.deepEqual(planMenu(genericMenu()), { steps: [] });
});

test('each step is needed: without it, or without its place in the order, a power cut leaves nothing to start', () => {
  const steps = stepsOf(oldMenu);
  const without = (drop: (step: LoaderStep, index: number) => boolean) =>
    problemsOf(steps.filter((step, index) => !drop(step, index)));
  const firstFlush = steps.findIndex(({ kind }) => kind === 'empty journal');
  assert.notDeepEqual(
    without(({ kind }) => kind === 'link file'),
    [],
  );
  assert.notDeepEqual(
    without((_, index) => index === firstFlush),
    [],
  );
  for (const path of ['A/entry.cfg', 'grub/grubenv'])
    assert.notDeepEqual(
      without((step) => step.kind === 'write file' && step.path === path),
      [],
      path,
    );
});

test('an attempt that was interrupted after any step is continued', () => {
  const steps = stepsOf(oldMenu);
  for (let done = 0; done <= steps.length; done += 1) {
    const files = disk();
    for (const step of steps.slice(0, done)) files.follow(step);
    files.follow({ kind: 'empty journal' });
    for (const step of stepsOf(files.read('grub/grub.cfg')?.toString() ?? '')) files.follow(step);
    assert.equal(
      problem((path) => files.read(path)),
      undefined,
      `after ${done} steps`,
    );
    assert.equal(files.read('grub/grub.cfg')?.toString(), genericMenu());
  }
});

test('the slot that the old menu starts is the default, and each of its slots has an entry', () => {
  const b = { ...entry, slot: 'B', commandLine: 'panic=10 nodewright.slot=B' } as const;
  const files = disk();
  for (const step of stepsOf(grubMenu([b, entry], 3))) files.follow(step);
  const block = parseEnvironmentBlock(files.read('grub/grubenv') ?? Buffer.of());
  assert.deepEqual(block, choiceEnvironment({ default: 'B', once: undefined }));
  assert.equal(files.read('B/entry.cfg')?.toString(), slotEntry(b));
  assert.equal(files.read('A/entry.cfg')?.toString(), slotEntry(entry));
});

test('a menu of another form is left alone', () => {
  for (const menu of [
    '',
    'set timeout=3\n',
    oldMenu.replace('panic=10', 'panic=10; reboot'),
    grubMenu([], 3),
  ])
    assert.ok('refusal' in planMenu(menu), menu);
});
