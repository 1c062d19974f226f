/** States of a service, as `ServiceInfo.state` shows them. Source: Talos v1.14: service state machine. */
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

/** What happens to a service. */
export type ServiceEvent =
  /** It was asked to start. */
  | 'start'
  /** A condition is not met yet. */
  | 'wait'
  /** A step before the runner starts. */
  | 'prepare'
  /** The runner runs. */
  | 'run'
  /** The runner ended and will run again after a pause. */
  | 'restart'
  /** The runner is being stopped. */
  | 'signal'
  /** It ended as it should. */
  | 'finish'
  /** It ended with an error. */
  | 'fail'
  /** It is not needed on this node. */
  | 'skip';

/** Written where an event cannot happen: the caller has a bug. */
export type Impossible = undefined;
const impossible: Impossible = undefined;

/** Which state follows. Every pair stands here, so that a new state or event cannot be forgotten in one of them. */
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
    // Between two runs of a runner that is restarted the service waits, too.
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
    finish: impossible,
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
