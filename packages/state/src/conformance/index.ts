import type { OpenState } from './open-state.ts';
import { testQueries } from './queries.ts';
import { testWatches } from './watches.ts';
import { testWrites } from './writes.ts';

export { EventReader, type NoteSpec, newNote, note, notes, wordOf } from './notes.ts';
export { openMemoryState } from './open-memory-state.ts';
export type { OpenState, StateUnderTest } from './open-state.ts';

/** What every state must do, as tests of node:test, whether it holds its resources itself or asks another for them. */
export function testStateConformance(label: string, open: OpenState): void {
  testWrites(label, open);
  testQueries(label, open);
  testWatches(label, open);
}
