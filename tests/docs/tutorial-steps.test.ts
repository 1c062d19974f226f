import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { missingLine, readTutorial, type Tutorial } from './tutorial-steps.ts';

function tutorialOf(markdown: string): Tutorial {
  const folder = mkdtempSync(join(tmpdir(), 'tutorial-'));
  try {
    writeFileSync(join(folder, 'one.md'), markdown);
    return readTutorial(join(folder, 'one.md'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('readTutorial() joins commands with the output that follows them', () => {
  const tutorial = tutorialOf(
    '# One\n\n<!-- needs: machine -->\n\n```sh\nfirst\nsecond\n```\n\nProse.\n\n```sh\nthird\n```\n\n```text\na …\nb\n```\n',
  );
  assert.deepEqual(tutorial, {
    needs: 'machine',
    steps: [
      { commands: 'first\nsecond\n', expected: [] },
      { commands: 'third\n', expected: ['a …', 'b'] },
    ],
  });
});

test('readTutorial() refuses output that follows no commands', () => {
  assert.throws(
    () => tutorialOf('# One\n\n```sh\nfirst\n```\n\nProse.\n\n```text\nalone\n```\n'),
    /neither commands/,
  );
});

test('missingLine() finds a line for each one that is expected, whatever the spaces and the text of an ellipsis are', () => {
  const output = 'NODE     ID\nnode01   7\nnode02   8\n';
  assert.equal(missingLine(['NODE ID', 'node02   …'], output), undefined);
  assert.equal(missingLine(['node02 …', 'node01 …'], output), undefined);
  assert.equal(missingLine(['node02 …', 'node02 …'], output), 'node02 …');
  assert.equal(missingLine(['node0'], output), 'node0');
});

test('readTutorial() takes no steps from a page that is not run', () => {
  const page = '# One\n\n<!-- needs: outside -->\n\n```hcl\na = 1\n```\n\n```sh\nrm -rf /\n```\n';
  assert.deepEqual(tutorialOf(page), { needs: 'outside', steps: [] });
});
