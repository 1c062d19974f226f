import type { ServiceEvent } from './service-state.ts';

/** Reports an event of the runner to the service's state machine, with the message for the service's history. */
export type ReportRunner = (
  event: Extract<ServiceEvent, 'run' | 'restart' | 'signal'>,
  message: string,
) => void;

/** The part of a service that does its work, such as a process or a container. */
export interface Runner {
  /** The runner's name in the messages of the history. */
  readonly text: string;
  /**
   * Runs until the work ends or `signal` aborts. An abort is a request to stop: an end after it is no
   * failure, and the promise resolves.
   *
   * @throws the reason when the work ends with an error
   */
  run(report: ReportRunner, signal: AbortSignal): Promise<void>;
  /**
   * Starts the work while the service still waits for its conditions, so that it has loaded its program when they are met. The
   * next `run()` takes it over, or begins anew if it has ended by then. An abort of `signal` ends it.
   *
   * @returns a promise that resolves when it was taken over or has ended; it never rejects
   */
  startAhead?(signal: AbortSignal): Promise<void>;
}
