import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WrongGuesses } from './wrong-guesses.ts';

test('WrongGuesses delays a few guesses per group, and refuses further ones until one has left', () => {
  const guesses = new WrongGuesses({ guessesPerGroup: 2, guessGroups: 2 });
  const entered = ['a', 'a', 'a', 'b', 'c'].map((group) => guesses.enter(group));
  assert.deepEqual(entered, [true, true, false, true, false]);
  guesses.leave('a');
  assert.deepEqual([guesses.enter('a'), guesses.enter('a')], [true, false]);
  guesses.leave('b');
  assert.deepEqual([guesses.enter('c'), guesses.groups], [true, 2]);
});

test('WrongGuesses stays within both limits, and is empty after the last guess has left', () => {
  const group = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const steps = fc.array(fc.record({ group, isLeaving: fc.boolean() }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (all) => {
      const guesses = new WrongGuesses({ guessesPerGroup: 3, guessGroups: 2 });
      const held: string[] = [];
      for (const step of all) {
        if (!step.isLeaving) {
          if (guesses.enter(step.group)) held.push(step.group);
        } else if (held.includes(step.group)) {
          held.splice(held.indexOf(step.group), 1);
          guesses.leave(step.group);
        }
        assert.equal(guesses.groups, new Set(held).size);
        assert.ok(guesses.groups <= 2);
        assert.ok(held.filter((each) => each === step.group).length <= 3);
      }
      for (const each of held) guesses.leave(each);
      assert.equal(guesses.groups, 0);
    }),
  );
});
