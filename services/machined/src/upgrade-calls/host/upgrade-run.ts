import { type Fault, faultFrom } from '@nodewright/fault';
import { ProgressLines } from './progress-lines.ts';

/** An installation or an upgrade that has begun. It goes on when the client that has asked for it leaves. */
export interface UpgradeRun {
  /** What it reports, for one reader. It ends with the run, or when `signal` aborts. */
  lines(signal: AbortSignal): AsyncIterable<string>;
  /** Resolves at the end of the run: to the reason if it has failed. Never rejects. */
  readonly outcome: Promise<Fault | undefined>;
}

/**
 * Begins a run.
 *
 * @param onEnd is called once the run is over, with the reason if it has failed
 */
export function beginRun(
  work: (report: (line: string) => void) => Promise<void>,
  onEnd: (failure: Fault | undefined) => void,
): UpgradeRun {
  const lines = new ProgressLines();
  const run = async (): Promise<Fault | undefined> => {
    let failure: Fault | undefined;
    try {
      await work(lines.add);
    } catch (error) {
      failure = faultFrom(error);
    }
    onEnd(failure);
    lines.end();
    return failure;
  };
  return { lines: (signal) => lines.read(signal), outcome: run() };
}
