import { faultFrom } from '@nodewright/fault';
import type { Runner } from './runner.ts';

export interface RestartForeverInit {
  readonly intervalMs: number;
  /** Resolves after `ms`, or earlier when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs `inner` again and again, with the same pause after every end. Source: Talos v1.14: restart wrapper.
 */
export function restartForever(inner: Runner, { intervalMs, sleep }: RestartForeverInit): Runner {
  return {
    text: `Restart(Forever, ${inner.text})`,
    async run(report, signal) {
      while (!signal.aborted) {
        const error = await inner.run(report, signal).then(
          () => undefined,
          (thrown: unknown) => faultFrom(thrown).message,
        );
        if (signal.aborted) return;
        report(
          'restart',
          error === undefined
            ? `Runner ${inner.text} exited without error, going to restart it`
            : `Error running ${inner.text}, going to restart forever: ${error}`,
        );
        await sleep(intervalMs, signal);
        if (signal.aborted) report('signal', 'Aborting restart sequence');
      }
    },
  };
}
