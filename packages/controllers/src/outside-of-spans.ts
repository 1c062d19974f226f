import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs endless work outside of the current span. Its later actions belong to their own causes and not to the
 * start of the daemon. It uses the context in which this module was loaded, when no span was active.
 */
export const outsideOfSpans: <T>(body: () => T) => T = AsyncLocalStorage.snapshot();
