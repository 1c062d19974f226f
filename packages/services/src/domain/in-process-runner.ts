import type { Runner } from './runner.ts';

/**
 * The runner of a service that is this process itself. Its messages are upstream's. Source: Talos v1.14:
 * goroutine runner.
 */
export function createInProcessRunner(id: string): Runner {
  return {
    text: `Goroutine(${JSON.stringify(id)})`,
    async run(report, signal) {
      report('run', 'Service started as goroutine');
      const { promise: stopped, resolve } = Promise.withResolvers<void>();
      const onAbort = () => resolve();
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      await stopped;
      signal.removeEventListener('abort', onAbort);
      report('signal', 'Service stopping');
    },
  };
}
