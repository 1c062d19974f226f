import type { Selection, SelectorRequest } from '@nodewright/machine-config/selectors';

/**
 * Evaluates the selectors of the configuration. In maintenance anybody may send a configuration, so each evaluation is limited in time
 * and memory.
 */
export interface SelectorEvaluator {
  /**
   * The candidates for which an expression is true. A selector that is invalid, fails for a candidate, or takes too much time or memory, has a
   * problem that quotes it.
   *
   * @throws Fault `resource-exhausted` when too many evaluations wait, or when this one got no processor time; `cancelled` when the
   * signal aborts
   */
  select(request: SelectorRequest, signal: AbortSignal): Promise<Selection>;
}
