import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentsOf, draw, userTextsOf } from './texts.ts';

const texts = (found: readonly { readonly text: string }[]) => found.map(({ text }) => text);

test('commentsOf() returns whole comments, and ignores comment marks inside strings', () => {
  const text = `// The first line
// and the second.
/** A block
 * of two lines. */
const url = 'http://x'; // at the end of a line
// biome-ignore lint/x: y
`;
  assert.deepEqual(texts(commentsOf({ path: 'a.ts', text })), [
    'A block of two lines.',
    'The first line and the second. '.trim(),
  ]);
});

test('userTextsOf() finds messages and descriptions in every kind of quotes', () => {
  const text = `throw new Fault('not-found', \`no "\${name}" here\`);
const option = { description: "name of the node; the kernel's by default", type: 'a b' };
command.option('-v, --verbose', 'show every field');`;
  assert.deepEqual(texts(userTextsOf({ path: 'a.ts', text })), [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in the source
    'no "${name}" here',
    "name of the node; the kernel's by default",
    'show every field',
  ]);
});

test('draw() gives the same texts for the same seed, none of them twice, and at most all of them', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  assert.deepEqual(draw(all, 20, 7), draw(all, 20, 7));
  assert.notDeepEqual(draw(all, 20, 7), draw(all, 20, 8));
  assert.equal(new Set(draw(all, 200, 7)).size, 100);
});
