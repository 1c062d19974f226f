import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFinalizers, type KindRef, pointerTo, removeFinalizers, type State } from '@nodewright/state';
import { type Controller, destroyReady, exclusive, shared, weak } from './controller.ts';
import { openTestRuntime } from './testing/index.ts';

interface List {
  readonly ids: readonly string[];
}

const plans: KindRef<List> = { namespace: 'desk', type: 'Plans.test.nodewright.dev' };
const items: KindRef<{ readonly of: string }> = { namespace: 'desk', type: 'Items.test.nodewright.dev' };
const plan = pointerTo(plans, 'plan');

/** Keeps one item for each id of the plan. */
const planner = (init: Partial<Controller> = {}): Controller => ({
  name: 'Planner',
  inputs: [weak(plans), destroyReady(items)],
  outputs: [exclusive(items)],
  reconcile: async (pass) => {
    const ids = (await pass.get(plan))?.spec.ids ?? [];
    await pass.replace(
      items,
      ids.map((id) => ({ id, spec: { of: id }, labels: { planned: 'yes' } })),
    );
  },
  ...init,
});

const setPlan = async (state: State, ids: readonly string[]) => {
  const stored = (await state.list(plans))[0];
  if (stored === undefined) await state.create({ ...plan, spec: { ids } });
  else await state.update({ ...stored, spec: { ids } });
};

const itemTexts = async (state: State) =>
  (await state.list(items)).map(({ metadata: { id, version, phase } }) => `${id}@${version} ${phase}`);

test('replace() makes the resources of a controller exactly the wanted ones, and writes nothing twice', async () => {
  await using rig = openTestRuntime({ controllers: [planner()] });
  await setPlan(rig.state, ['a', 'b']);
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['a@1 running', 'b@1 running']);
  await setPlan(rig.state, ['b', 'c']);
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['b@1 running', 'c@1 running']);
});

test('replace() does not change resources of other owners', async () => {
  await using rig = openTestRuntime({ controllers: [planner({ outputs: [shared(items)] })] });
  await rig.state.create({ ...items, id: 'theirs', spec: { of: 'them' } }, { owner: 'Them' });
  await setPlan(rig.state, []);
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['theirs@1 running']);
});

test('replace() tears down a resource with finalizers, and destroys it when they are removed', async () => {
  await using rig = openTestRuntime({ controllers: [planner()] });
  await setPlan(rig.state, ['a']);
  await rig.settled();
  await addFinalizers(rig.state, pointerTo(items, 'a'), 'Somebody');
  await setPlan(rig.state, []);
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['a@3 tearingDown']);
  // Wanted again, but a resource that is being torn down must be destroyed first.
  await setPlan(rig.state, ['a']);
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['a@3 tearingDown']);
  await removeFinalizers(rig.state, pointerTo(items, 'a'), 'Somebody');
  await rig.settled();
  assert.deepEqual(await itemTexts(rig.state), ['a@1 running']);
  assert.deepEqual(rig.logged, []);
});

test('replace() fails when no input would report that a finalizer was removed', async () => {
  await using rig = openTestRuntime({ controllers: [planner({ inputs: [weak(plans)] })] });
  await setPlan(rig.state, ['a']);
  await rig.settled();
  await addFinalizers(rig.state, pointerTo(items, 'a'), 'Somebody');
  await setPlan(rig.state, []);
  await rig.settled();
  assert.deepEqual(
    rig.logged.map(({ error }) => error),
    [
      'resource Items.test.nodewright.dev(desk/a@2) has finalizers, and controller "Planner" has no input of its kind that would report their removal',
    ],
  );
  await removeFinalizers(rig.state, pointerTo(items, 'a'), 'Somebody');
  await rig.advance(500);
  assert.deepEqual(await itemTexts(rig.state), []);
});

test('replace() refuses the same id twice', async () => {
  await using rig = openTestRuntime({ controllers: [planner()] });
  await setPlan(rig.state, ['a', 'a']);
  await rig.settled();
  assert.deepEqual(
    rig.logged.map(({ error }) => error),
    ['Items.test.nodewright.dev(desk/a) is wanted twice'],
  );
});
