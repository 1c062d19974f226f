import type { ServiceEvent } from './service-state.ts';

/** Tells a service what its runner does: an event of its state machine and the words for its history. */
export type ReportRunner = (
  event: Extract<ServiceEvent, 'run' | 'restart' | 'signal'>,
  message: string,
) => void;

/** What does a service's work. */
export interface Runner {
  /** How the history names it. */
  readonly text: string;
  /**
   * Works until it ends by itself or `signal` aborts, which it takes as the wish to stop; an end after that is no
   * failure. Rejects with the reason when it ends with an error.
   */
  run(report: ReportRunner, signal: AbortSignal): Promise<void>;
}
