import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesText } from './nodes-text.ts';

test('nodesText() uses singular and plural, and gives the total when nodes are missing', () => {
  assert.deepEqual(
    [nodesText('answer', 4), nodesText('answer', 1), nodesText('answer', 1, 1)],
    ['4 nodes answer', '1 node answers', '1 node answers'],
  );
  assert.deepEqual(
    [nodesText('run', 2, 4), nodesText('run', 1, 4), nodesText('run', 0, 1)],
    ['2 of 4 nodes run', '1 of 4 nodes run', '0 of 1 node runs'],
  );
});
