import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs what goes on for ever outside of the span in which it happens to be started: what it does later belongs to what
 * causes it then, and not to the start of the daemon. Modules are loaded before there is any span.
 */
export const outsideOfSpans: <T>(body: () => T) => T = AsyncLocalStorage.snapshot();
