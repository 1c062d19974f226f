import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareByBytes, sortByBytes } from './compare-by-bytes.ts';

const cases: readonly { readonly what: string; readonly texts: readonly string[] }[] = [
  { what: 'ASCII', texts: ['b', 'a', 'ab', 'A', '', 'a/b', 'a.b'] },
  { what: 'below the surrogates', texts: ['\ud7ff', 'é', 'z', '漢'] },
  { what: 'surrogates and what comes after them', texts: ['\uffee', '😀', '\ue000', 'z', '漢', '😁'] },
];

for (const { what, texts } of cases) {
  test(`sortByBytes() sorts ${what} by UTF-8 bytes`, () => {
    const bytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual([sortByBytes(texts), [...texts].sort(compareByBytes)], [bytes, bytes]);
  });
}
