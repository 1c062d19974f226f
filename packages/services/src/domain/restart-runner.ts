import { faultFrom } from '@nodewright/fault';
import { crashesAfter, pauseBeforeRun, type RestartPolicy, restartReason } from './restart-policy.ts';
import type { Runner } from './runner.ts';

export interface RestartRunnerInit {
  readonly policy: RestartPolicy;
  /** The usual pause between two runs. */
  readonly intervalMs: number;
  readonly now: () => number;
  /** Resolves after `ms`, or earlier when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The usual pause between two runs, in ms. Source: Talos v1.14: restart wrapper. */
export const defaultRestartIntervalMs = 5000;

const policyNames: Readonly<Record<RestartPolicy, string>> = {
  forever: 'Forever',
  untilSuccess: 'UntilSuccess',
  once: 'Once',
};

/**
 * Runs `inner` repeatedly as the policy says, with a pause before each further run. Source: Talos v1.14:
 * restart wrapper.
 */
export function restartRunner(inner: Runner, { policy, intervalMs, now, sleep }: RestartRunnerInit): Runner {
  return {
    text: `Restart(${policyNames[policy]}, ${inner.text})`,
    ...(inner.startAhead && { startAhead: inner.startAhead }),
    async run(report, signal) {
      let crashes = 0;
      while (!signal.aborted) {
        const startedMs = now();
        const thrown = await inner.run(report, signal).then(
          () => undefined,
          (reason: unknown) => ({ reason }),
        );
        if (signal.aborted) return;
        const error = thrown && faultFrom(thrown.reason).message;
        const reason = restartReason(policy, inner.text, error);
        if (reason === undefined) {
          if (thrown !== undefined) throw thrown.reason;
          return;
        }
        report('restart', reason);
        crashes = crashesAfter(crashes, now() - startedMs, intervalMs);
        await sleep(pauseBeforeRun(crashes, intervalMs), signal);
        if (signal.aborted) report('signal', 'Aborting restart sequence');
      }
    },
  };
}
