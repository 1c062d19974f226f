import { aborted, ChangeSignal } from '@nodewright/async';
import type {
  HealthCheckRequest,
  HealthServiceImplementation,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { HealthCheckResponse_ServingStatus as ServingStatus } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { Fault } from '@nodewright/fault';
import type { CallContext } from 'nice-grpc';

/** The standard health service. Its only input is whether this daemon is ready to take calls. */
export class HealthService implements HealthServiceImplementation {
  readonly #services: ReadonlySet<string>;
  readonly #changes = new ChangeSignal();
  #serving = true;

  /**
   * `services` are the full names that a client may check, in addition to the empty name for the whole
   * server.
   */
  constructor(services: Iterable<string>) {
    this.#services = new Set(['', ...services]);
  }

  setServing(serving: boolean): void {
    this.#serving = serving;
    this.#changes.notify();
  }

  async check({ service }: HealthCheckRequest) {
    if (!this.#services.has(service)) throw new Fault('not-found', `unknown service "${service}"`);
    return { status: this.#status() };
  }

  async *watch({ service }: HealthCheckRequest, { signal }: CallContext) {
    if (!this.#services.has(service)) {
      yield { status: ServingStatus.SERVICE_UNKNOWN };
      await aborted(signal);
      return;
    }
    while (!signal.aborted) {
      // Before the status is read: it may change while it is sent.
      const changed = this.#changes.next(signal);
      yield { status: this.#status() };
      await changed;
    }
  }

  #status() {
    return this.#serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }
}
