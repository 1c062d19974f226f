import type { State } from '../state.ts';

/** A state under test, and what it keeps its resources in. */
export interface StateUnderTest extends AsyncDisposable {
  readonly state: State;
  /** The store behind it: what is written here is written without a connection in between. */
  readonly store: State;
}

/** An empty state. Specs of the tests are of the kind `notes`, whose codec it must know. */
export type OpenState = () => Promise<StateUnderTest>;
