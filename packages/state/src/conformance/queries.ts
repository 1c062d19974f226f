import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelTerm } from '../query/label-query.ts';
import { newNote, notes } from './notes.ts';
import type { OpenState } from './open-state.ts';
import { failureOf } from './writes.ts';

const term = (invert: boolean, rest: object) => ({ key: 'size', invert, ...rest }) as LabelTerm;

/** Tests that lists are sorted and can be filtered by labels and ids. */
export function testQueries(label: string, open: OpenState): void {
  test(`${label}: a list is sorted by bytes and limited to its namespace and type`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    const ids = ['b', 'a', 'B', '10', '9', 'ä', '\u{1f600}', '\uff5e', 'ab', ''];
    for (const id of ids) await store.create(newNote(id));
    await store.create(newNote('other', { namespace: 'elsewhere' }));
    const found = (await state.list(notes)).map(({ metadata }) => metadata.id);
    assert.deepEqual(found, ['', '10', '9', 'B', 'a', 'ab', 'b', 'ä', '\uff5e', '\u{1f600}']);
    assert.deepEqual(await state.list({ namespace: 'desk', type: 'Others.test.nodewright.dev' }), []);
  });

  test(`${label}: every label operation selects correctly, inverted or not`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    const sizes = { small: '9', big: '1Ki', kilo: '1k', word: 'zzz', none: undefined };
    for (const [id, size] of Object.entries(sizes)) {
      await store.create(newNote(id, { labels: size === undefined ? {} : { size } }));
    }
    const rows: [object, string, string][] = [
      [{ operation: 'exists' }, 'big kilo small word', 'none'],
      [{ operation: 'equal', value: '9' }, 'small', 'big kilo none word'],
      [{ operation: 'in', values: ['9', 'zzz'] }, 'small word', 'big kilo none'],
      [{ operation: 'less', value: '1k' }, 'big', 'kilo small word'],
      [{ operation: 'less-or-equal', value: '1k' }, 'big kilo', 'small word'],
      [{ operation: 'less-numeric', value: '1024' }, 'kilo small', 'big'],
      [{ operation: 'less-or-equal-numeric', value: '1KI' }, 'big kilo small', ''],
      [{ operation: 'less-numeric', value: 'zzz' }, '', ''],
    ];
    for (const [rest, expected, inverted] of rows) {
      for (const [invert, wanted] of [
        [false, expected],
        [true, inverted],
      ] as const) {
        const found = await state.list(notes, { labelQueries: [[term(invert, rest)]] });
        assert.equal(
          found.map(({ metadata }) => metadata.id).join(' '),
          wanted,
          JSON.stringify([invert, rest]),
        );
      }
    }
  });

  test(`${label}: all terms of one query must hold, one of several queries must hold, and ids must match too`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    for (const id of ['aa', 'ab', 'bb']) {
      await store.create(newNote(id, { labels: { first: id[0] as string, last: id[1] as string } }));
    }
    const is = (key: string, value: string): LabelTerm => ({ key, value, operation: 'equal' });
    const list = async (query: Parameters<typeof state.list>[1]) =>
      (await state.list(notes, query)).map(({ metadata }) => metadata.id);
    assert.deepEqual(await list({ labelQueries: [[is('first', 'a'), is('last', 'b')]] }), ['ab']);
    assert.deepEqual(await list({ labelQueries: [[is('first', 'b')], [is('last', 'a')]] }), ['aa', 'bb']);
    assert.deepEqual(await list({ idQuery: { regexp: 'b$' } }), ['ab', 'bb']);
    assert.deepEqual(await list({ labelQueries: [[is('first', 'a')]], idQuery: { regexp: 'b' } }), ['ab']);
    assert.match(await failureOf(list({ idQuery: { regexp: '(a' } })), /^invalid-argument: .*"\(a"/);
  });
}
