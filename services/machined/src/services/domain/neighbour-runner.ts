import type { Runner } from '../../base/domain/runner.ts';
import type { HealthResult } from '../../base/domain/service-health.ts';

export interface NeighbourRunnerInit {
  /** Asks whether the neighbour takes connections. */
  readonly check: (timeoutMs: number) => Promise<HealthResult>;
  /** Resolves after `ms`, or earlier when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const periodMs = 500;
const timeoutMs = 500;
/** A machine that is slow for a moment is not a neighbour that is gone. */
const goneAfterFailures = 3;

/**
 * The runner of a daemon that somebody else runs beside machined, as a container engine does. It cannot see the process,
 * so the neighbour runs from the first connection that it takes until it refuses three in a row. A stop leaves the
 * neighbour alone: whoever started it stops it.
 */
export function createNeighbourRunner(id: string, { check, sleep }: NeighbourRunnerInit): Runner {
  const text = `External(${JSON.stringify(id)})`;
  return {
    text,
    async run(report, signal) {
      let state: 'new' | 'awaited' | 'up' = 'new';
      let failures = 0;
      while (!signal.aborted) {
        const result = await check(timeoutMs);
        if (signal.aborted) break;
        failures = result.healthy ? 0 : failures + 1;
        if (result.healthy) {
          if (state !== 'up') report('run', `Service ${text} takes connections`);
          state = 'up';
        } else if (state === 'new') {
          report('restart', `Waiting for ${text} to take connections`);
          state = 'awaited';
        } else if (state === 'up' && failures === goneAfterFailures) {
          report('restart', `Error running ${text}, waiting for it to be restarted: ${result.message}`);
          state = 'awaited';
        }
        await sleep(periodMs, signal);
      }
      report('signal', 'Service stopping');
    },
  };
}
