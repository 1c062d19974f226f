import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ShownConfiguration } from '../../protocol/calls.ts';
import { type Draft, draftOf, isOutdated, rebased } from './draft.ts';

const shown = (text: string): ShownConfiguration => ({ text, version: `version of ${text}` });
const [first, second] = [shown('a: 1\n'), shown('a: 2\n')];

test('draftOf() follows the node while the user has changed nothing', () => {
  assert.deepEqual(draftOf(undefined, first), { base: first, text: first.text });
  // The user typed something and took it back.
  const untouched: Draft = { base: first, text: first.text };
  assert.deepEqual(draftOf(untouched, second), { base: second, text: second.text });
});

test('draftOf() keeps what the user wrote, with the configuration that it began with', () => {
  const draft: Draft = { base: first, text: 'a: 3\n' };
  assert.deepEqual(draftOf(draft, second), draft);
  assert.deepEqual([isOutdated(draft, first), isOutdated(draft, second)], [false, true]);
  assert.deepEqual(rebased(draft, second), { base: second, text: 'a: 3\n' });
});

test('a draft that the node tries is not outdated, neither during the trial nor after it', () => {
  const tried = shown('a: 3\n');
  const draft: Draft = { base: first, text: tried.text, tried };
  assert.deepEqual([isOutdated(draft, tried), isOutdated(draft, first)], [false, false]);
  assert.equal(isOutdated(draft, second), true, 'somebody else changed it during the trial');
  // The user takes the change back while the node tries it.
  const takenBack: Draft = { ...draft, text: first.text };
  assert.deepEqual(draftOf(takenBack, tried), takenBack);
  assert.deepEqual(draftOf(takenBack, second), { base: second, text: second.text });
});

test('no draft replaces a configuration that its user has not seen, whatever happens in which order', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('other' as const), text: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constant('edit' as const), text: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ kind: fc.constant('agree' as const) }),
    fc.record({ kind: fc.constant('send' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let active = shown('a');
      let kept: Draft | undefined;
      /** What the user knows that the draft replaces: what an untouched editor shows, what a notice says, what was tried. */
      let seen = new Set([active.version]);
      for (const each of steps) {
        const draft = draftOf(kept, active);
        if (draft.text === active.text && draft.base.version === active.version)
          seen = new Set([active.version]);
        if (each.kind === 'other') active = shown(each.text);
        if (each.kind === 'edit') kept = { ...draft, text: each.text };
        if (each.kind === 'agree') [kept, seen] = [rebased(draft, active), new Set([active.version])];
        if (each.kind === 'send' && draft.text !== active.text && !isOutdated(draft, active)) {
          if (!seen.has(active.version)) return false;
          active = shown(draft.text);
          seen.add(active.version);
          kept = { ...draft, tried: active };
        }
      }
      return true;
    }),
    { seed: 44, numRuns: 2000 },
  );
});
