import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFinalizers, type KindRef, pointerTo, removeFinalizers, type State } from '@nodewright/state';
import { openTestRuntime, type TestRuntime } from './testing/index.ts';
import { leaveAsIs, transformController } from './transform-controller.ts';

interface Word {
  readonly text: string;
}

const words: KindRef<Word> = { namespace: 'desk', type: 'Words.test.nodewright.dev' };
const shouts: KindRef<Word> = { namespace: 'desk', type: 'Shouts.test.nodewright.dev' };

const shouter = (init: Partial<Parameters<typeof transformController<Word, Word>>[0]> = {}) =>
  transformController<Word, Word>({
    name: 'Shouter',
    input: words,
    output: shouts,
    transform: ({ spec }) => ({ spec: { text: spec.text.toUpperCase() } }),
    ...init,
  });

const say = (state: State, id: string, text = id) => state.create({ ...words, id, spec: { text } });
const shoutTexts = async ({ state }: TestRuntime) =>
  (await state.list(shouts)).map(
    ({ metadata: { id, phase }, spec }) => `${id} ${spec.text}${phase === 'running' ? '' : ` ${phase}`}`,
  );

test('a transform controller has its input, a destroy-ready input of its outputs, and its output', () => {
  const told = (kind: 'weak' | 'strong') => [
    { ...words, kind },
    { ...shouts, kind: 'destroy-ready' },
  ];
  assert.deepEqual(
    [
      shouter().inputs,
      shouter({ finalize: async () => {} }).inputs,
      shouter({ output: words }).inputs,
      shouter({ outputKind: 'shared' }).outputs,
    ],
    [told('weak'), told('strong'), [{ ...words, kind: 'weak' }], [{ type: shouts.type, kind: 'shared' }]],
  );
});

test('a transform controller makes one output for every input and removes it with its input', async () => {
  await using rig = openTestRuntime({ controllers: [shouter()] });
  const a = await say(rig.state, 'a');
  await say(rig.state, 'b');
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a A', 'b B']);
  await rig.state.update({ ...a, spec: { text: 'again' } });
  await rig.state.destroy(pointerTo(words, 'b'));
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a AGAIN']);
  await rig.state.teardown(pointerTo(words, 'a'));
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), []);
});

test('a transform controller maps ids, skips inputs and keeps outputs as they are', async () => {
  const controller = shouter({
    outputId: ({ metadata: { id } }) => (id === 'b' ? undefined : `${id}!`),
    transform: ({ spec }) =>
      spec.text === 'quiet' ? leaveAsIs : { spec: { text: spec.text.toUpperCase() } },
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  const a = await say(rig.state, 'a');
  await say(rig.state, 'b');
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a! A']);
  await rig.state.update({ ...a, spec: { text: 'quiet' } });
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a! A']);
});

test('an output with finalizers is destroyed when they are removed, and created again with its input', async () => {
  await using rig = openTestRuntime({ controllers: [shouter()] });
  await say(rig.state, 'a');
  await rig.settled();
  await addFinalizers(rig.state, pointerTo(shouts, 'a'), 'Listener');
  await rig.state.destroy(pointerTo(words, 'a'));
  await rig.settled();
  await say(rig.state, 'a', 'new');
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a A tearingDown']);
  await removeFinalizers(rig.state, pointerTo(shouts, 'a'), 'Listener');
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a NEW']);
  assert.deepEqual(rig.logged, []);
});

test("an input with the controller's finalizer is released after its output is gone and its effect is undone", async () => {
  const undone: string[] = [];
  const finalize = async ({ metadata }: { metadata: { id: string } }) => {
    undone.push(metadata.id);
    if (undone.length === 1) throw new Error('not yet');
  };
  await using rig = openTestRuntime({ controllers: [shouter({ finalize })] });
  const a = pointerTo(words, 'a');
  await say(rig.state, 'a');
  await rig.settled();
  await addFinalizers(rig.state, pointerTo(shouts, 'a'), 'Listener');
  assert.equal(await rig.state.teardown(a), false);
  await rig.settled();
  assert.deepEqual([undone, await shoutTexts(rig)], [[], ['a A tearingDown']]);
  await removeFinalizers(rig.state, pointerTo(shouts, 'a'), 'Listener');
  await rig.settled();
  assert.deepEqual([undone, await shoutTexts(rig)], [['a'], []]);
  assert.deepEqual((await rig.state.get(a)).metadata.finalizers, ['Shouter']);
  await rig.advance(500);
  assert.deepEqual(undone, ['a', 'a']);
  await rig.state.destroy(a);
});

test('an input that fails does not prevent the outputs of the others', async () => {
  const transform = ({ spec: { text } }: { spec: Word }) => {
    if (text.startsWith('bad')) throw new Error(`${text} will not do`);
    return { spec: { text } };
  };
  await using rig = openTestRuntime({ controllers: [shouter({ transform })] });
  for (const id of ['a', 'bad1', 'bad2', 'c']) await say(rig.state, id);
  await rig.settled();
  assert.deepEqual(await shoutTexts(rig), ['a a', 'c c']);
  assert.deepEqual(
    rig.logged.map(({ error }) => error),
    ['bad1 will not do; bad2 will not do'],
  );
});
