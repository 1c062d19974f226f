import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherBuildNote } from './other-build-note.ts';

test('otherBuildNote() names both commits and the command to run', () => {
  assert.equal(
    otherBuildNote('dev', ['aaaaaaaaa', 'aaaaaaaaa'], 'bbbbbbbbb'),
    'images nodewright/*:dev were built from aaaaaaaaa, this talosctl is bbbbbbbbb: run make images',
  );
  assert.match(
    otherBuildNote('1', ['c', 'a', 'b'], 'b') ?? '',
    /\*:1 were built from a and c, this talosctl is b:/,
  );
});

test('otherBuildNote() returns nothing for equal commits and for unknown commits', () => {
  assert.equal(otherBuildNote('dev', ['aaaaaaaaa', 'aaaaaaaaa'], 'aaaaaaaaa'), undefined);
  for (const unknown of ['', 'source', 'unknown']) {
    assert.equal(otherBuildNote('dev', ['aaaaaaaaa'], unknown), undefined);
    assert.equal(otherBuildNote('dev', [unknown], 'aaaaaaaaa'), undefined);
  }
});
