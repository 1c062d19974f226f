import { testStateConformance } from '../conformance/index.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';

testStateConformance('a state in memory', async () => {
  const store = openMemoryState();
  return { state: store, store, [Symbol.asyncDispose]: async () => {} };
});
