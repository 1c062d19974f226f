import type { State } from '../state.ts';

/** A state under test, and the store that holds its resources. */
export interface StateUnderTest extends AsyncDisposable {
  readonly state: State;
  /** The store behind the state. Writes to it do not pass through a connection. */
  readonly store: State;
}

/** Opens an empty state. It must have the codec of the kind `notes`, which the tests use. */
export type OpenState = () => Promise<StateUnderTest>;
