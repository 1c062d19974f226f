import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FolderFate, type FolderLook, folderFate } from './folder-fate.ts';

const missing = { kind: 'missing', links: 2, countsLinks: true, isInPlace: false } as const;

test('folderFate() takes a folder for removed only when its last link is gone', () => {
  const rows: [FolderLook, FolderFate['kind'], RegExp?][] = [
    [{ kind: 'found' }, 'kept'],
    [{ ...missing, links: 0 }, 'removed'],
    [{ kind: 'unreadable', error: 'EIO: i/o error' }, 'unreadable', /cannot be read: EIO/],
    [{ ...missing, isInPlace: true }, 'emptied', /no state\.yaml/],
    [{ ...missing, path: '/elsewhere/c' }, 'lost', /moved to \/elsewhere\/c$/],
    [missing, 'lost', /unmounted$/],
    [{ ...missing, links: 0, countsLinks: false }, 'lost', /does not count links$/],
  ];
  for (const [look, kind, reason] of rows) {
    const fate = folderFate(look);
    assert.equal(fate.kind, kind, JSON.stringify(look));
    if (reason !== undefined) assert.ok('reason' in fate && reason.test(fate.reason), JSON.stringify(fate));
  }
});
