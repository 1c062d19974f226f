/** States of a service, as `ServiceInfo.state` reports them. Source: Talos v1.14: service state machine. */
export type ServiceState =
  | 'Initialized'
  | 'Starting'
  | 'Waiting'
  | 'Preparing'
  | 'Running'
  | 'Stopping'
  | 'Finished'
  | 'Failed'
  | 'Skipped';

/** Events that change the state of a service. */
export type ServiceEvent =
  /** A start was requested. */
  | 'start'
  /** The service waits for a condition that is not met yet. */
  | 'wait'
  /** A preparation step before the runner starts. */
  | 'prepare'
  /** The runner has started. */
  | 'run'
  /** The runner has ended and will run again after a back-off. */
  | 'restart'
  /** The runner is being stopped. */
  | 'signal'
  /** The service ended without an error. */
  | 'finish'
  /** The service ended with an error. */
  | 'fail'
  /** The service is not needed on this node. */
  | 'skip';

/** Marks an event that is not allowed in a state: reporting it is a bug of the caller. */
export type Impossible = undefined;
const impossible: Impossible = undefined;

/** The state after each event. Every pair is listed, so the compiler finds a state or event that is missing. */
export const serviceTransitions = {
  Initialized: {
    start: 'Starting',
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: impossible,
    signal: impossible,
    finish: impossible,
    fail: impossible,
    skip: impossible,
  },
  Starting: {
    start: impossible,
    wait: 'Waiting',
    prepare: 'Preparing',
    run: impossible,
    restart: impossible,
    signal: impossible,
    finish: 'Finished',
    fail: 'Failed',
    skip: 'Skipped',
  },
  Waiting: {
    start: impossible,
    wait: 'Waiting',
    prepare: 'Preparing',
    // A service also waits between two runs of its runner.
    run: 'Running',
    restart: 'Waiting',
    signal: 'Stopping',
    finish: 'Finished',
    fail: 'Failed',
    skip: impossible,
  },
  Preparing: {
    start: impossible,
    wait: impossible,
    prepare: 'Preparing',
    run: 'Running',
    restart: 'Waiting',
    signal: 'Stopping',
    finish: 'Finished',
    fail: 'Failed',
    skip: 'Skipped',
  },
  Running: {
    start: impossible,
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: 'Waiting',
    signal: 'Stopping',
    finish: 'Finished',
    fail: 'Failed',
    skip: impossible,
  },
  Stopping: {
    start: impossible,
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: impossible,
    signal: 'Stopping',
    finish: 'Finished',
    fail: 'Failed',
    skip: impossible,
  },
  Finished: {
    start: 'Starting',
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: impossible,
    signal: impossible,
    finish: impossible,
    fail: impossible,
    skip: impossible,
  },
  Failed: {
    start: 'Starting',
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: impossible,
    signal: impossible,
    // It was stopped after it had failed.
    finish: 'Finished',
    fail: impossible,
    skip: impossible,
  },
  Skipped: {
    start: 'Starting',
    wait: impossible,
    prepare: impossible,
    run: impossible,
    restart: impossible,
    signal: impossible,
    finish: impossible,
    fail: impossible,
    skip: impossible,
  },
} as const satisfies Record<ServiceState, Record<ServiceEvent, ServiceState | Impossible>>;
