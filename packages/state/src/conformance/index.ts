import type { OpenState } from './open-state.ts';
import { testQueries } from './queries.ts';
import { testWatches } from './watches.ts';
import { testWrites } from './writes.ts';

export { EventReader, type NoteSpec, newNote, note, notes, wordOf } from './notes.ts';
export { openMemoryState } from './open-memory-state.ts';
export type { OpenState, StateUnderTest } from './open-state.ts';

/**
 * Defines node:test tests that every implementation of `State` must pass, in memory or behind a connection.
 */
export function testStateConformance(label: string, open: OpenState): void {
  testWrites(label, open);
  testQueries(label, open);
  testWatches(label, open);
}
