import type { Runner } from './runner.ts';
import type { HealthResult } from './service-health.ts';

export interface NeighbourRunnerInit {
  /** Whether the neighbour accepts a connection. */
  readonly check: (timeoutMs: number) => Promise<HealthResult>;
  /** Resolves after `ms`, or earlier when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Between two checks of a neighbour that is up. Default 500. */
  readonly periodMs?: number;
  /** How long a check may take. Default 500. */
  readonly timeoutMs?: number;
  /** What the history says of it, after its name. Default: about connections. */
  readonly texts?: { readonly up: string; readonly wait: string };
}

const usualPeriodMs = 500;
const connectionTexts = { up: 'takes connections', wait: 'to take connections' };
const usualTimeoutMs = 500;
/** Fewer failures than this may come from a slow machine. */
const goneAfterFailures = 3;

/**
 * The runner of a daemon that another program runs next to machined, such as a container engine. machined
 * cannot see that process, so the neighbour counts as running from the first connection that it accepts until
 * it refuses three in a row. Stopping the service does not stop the neighbour: the program that started it
 * does.
 */
export function createNeighbourRunner(id: string, init: NeighbourRunnerInit): Runner {
  const { check, sleep, periodMs = usualPeriodMs, texts = connectionTexts } = init;
  const { timeoutMs = usualTimeoutMs } = init;
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
          if (state !== 'up') report('run', `Service ${text} ${texts.up}`);
          state = 'up';
        } else if (state === 'new') {
          report('restart', `Waiting for ${text} ${texts.wait}`);
          state = 'awaited';
        } else if (state === 'up' && failures === goneAfterFailures) {
          report('restart', `Error running ${text}, waiting for it to be restarted: ${result.message}`);
          state = 'awaited';
        }
        await sleep(state === 'up' && result.healthy ? periodMs : usualPeriodMs, signal);
      }
      report('signal', 'Service stopping');
    },
  };
}
