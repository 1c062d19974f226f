import { MemoryState } from '../store/memory-state.ts';

/** An empty store whose clock advances by a millisecond at every reading. */
export function openMemoryState(): MemoryState {
  let nowMs = 1_700_000_000_000;
  return new MemoryState({ now: () => nowMs++, cookie: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]) });
}
