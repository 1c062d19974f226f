// The search of the documentation, as its pages load it: what people ask leads to the page that answers.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { buildPages } from '../../tools/docs/build-pages.ts';
import type { Page } from '../../tools/docs/page.ts';
import { renderSite } from '../../tools/docs/render-site.ts';
import { buildSearch } from '../../tools/docs/search/build-search.ts';
import { createPageSearch, type PageSearch, questionLimits } from '../../tools/docs/search/find-pages.ts';
import { stemOf, wordDistance } from '../../tools/docs/search/search-words.ts';
import { questions } from './questions.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** Where the page that answers has to be. */
const firstResults = 3;
let pages: readonly Page[];
let search: PageSearch;

before(async () => {
  pages = await buildPages(checkout);
  const context = createContext({});
  runInContext(await buildSearch(checkout), context);
  runInContext(renderSite(pages, 'v0').get('search-index.js') ?? '', context);
  search = runInContext('documentationSearch.createPageSearch(searchIndex)', context);
});

const idsOf = (question: string) =>
  Array.from(search.find(question, firstResults), ({ address }) => address.split('.html')[0] ?? '');

test('at least 60 questions find a page that answers among the first three', () => {
  assert.ok(questions.length >= 60, `${questions.length} questions`);
  const ids = new Set(pages.map(({ id }) => id));
  const unknown = questions.flatMap(([, ...answers]) => answers.filter((id) => !ids.has(id)));
  assert.deepEqual(unknown, []);
  const missed = questions
    .map(([question, ...answers]) => ({ question, answers, found: idsOf(question) }))
    .filter(({ answers, found }) => !found.some((id) => answers.includes(id)));
  assert.deepEqual(missed, []);
});

test('each guide is found by its title, and by its title with two letters exchanged', () => {
  const guides = pages.filter(({ group }) => ['Concepts', 'Tutorials', 'How-tos'].includes(group));
  assert.ok(guides.length > 20, `${guides.length} guides`);
  const missed = guides
    .flatMap(({ id, title }) => [title, withTypingError(title)].map((question) => ({ id, question })))
    .filter(({ id, question }) => !idsOf(question).includes(id));
  assert.deepEqual(missed, []);
});

/** Exchanges two different letters inside the longest word. */
function withTypingError(title: string): string {
  const longest = title.split(/[^\p{L}]+/u).reduce((one, other) => (other.length > one.length ? other : one));
  const at = [...longest].findIndex((letter, index) => index > 0 && letter !== longest[index + 1]);
  const swapped = longest.slice(0, at) + longest[at + 1] + longest[at] + longest.slice(at + 2);
  return title.replace(longest, swapped);
}

test('the name of a command, a document or a kind finds its reference first', () => {
  for (const [name, id] of [
    ['etcd snapshot', 'command-etcd'],
    ['reset', 'command-reset'],
    ['VLANConfig', 'config-vlanconfig'],
    ['vlanconfig', 'config-vlanconfig'],
  ] as const)
    assert.equal(idsOf(name)[0], id, name);
});

test('a result is the section of its page that fits best, and a guide comes before generated pages', () => {
  const page = (address: string, weight: number, text: string) => ({
    ...{ address, title: address, group: 'g', weight },
    sections: [
      { anchor: 'top', heading: address, text: '' },
      { anchor: 'part', heading: 'Wipe it', text },
    ],
  });
  const small = createPageSearch([
    page('reference.html', 0.5, 'the disk'),
    page('guide.html', 1, 'the disk'),
  ]);
  assert.deepEqual(
    small.find('erase dsik', 5).map(({ address }) => address),
    ['guide.html#part', 'reference.html#part'],
  );
  assert.deepEqual(small.find('elephant', 5), []);
  assert.deepEqual(small.find('', 5), []);
});

test('a question of a megabyte is cut off', () => {
  const question = `reset ${'certificate '.repeat(100_000)}`;
  assert.deepEqual(search.find(question, 3), search.find(question.slice(0, questionLimits.characters), 3));
});

test('stemOf() makes the forms of a word the same, and wordDistance() counts typing errors', () => {
  for (const forms of [
    ['reset', 'resets', 'resetting'],
    ['upgrade', 'upgraded', 'upgrades', 'upgrading'],
    ['certificate', 'certificates'],
    ['policy', 'policies'],
  ])
    assert.equal(new Set(forms.map(stemOf)).size, 1, forms.join());
  assert.equal(stemOf('address'), 'address');
  assert.deepEqual(
    [
      ['etcd', 'etdc'],
      ['reset', 'reset'],
      ['reset', 'rset'],
      ['snapshot', 'snpashto'],
      ['reset', 'join'],
    ].map(([one = '', other = '']) => wordDistance(one, other, 2)),
    [1, 0, 1, 2, 3],
  );
});
