import { Agent } from 'node:http';
import { anySignal } from '@nodewright/async';
import type { Telemetry } from '@nodewright/telemetry';
import type Docker from 'dockerode';
import type { DockerOptions } from 'dockerode';
import type { CallOptions } from '../container-runtime.ts';
import { engineFault } from './engine-fault.ts';

/** Questions and orders of an engine that hangs end; what streams has no limit. */
const callTimeoutMs = 60_000;

/** The engine's API behind one door: where its client is loaded, failures become Faults, and calls become spans. */
export interface Engine {
  /**
   * One question or order, with one answer; `work` makes one request. `what` begins the text of a failure:
   * `cannot start "etcd"`.
   */
  call<T>(name: string, what: string, options: CallOptions | undefined, work: EngineWork<T>): Promise<T>;
  /** As `call`, without a limit of time: for what waits, and for the begin of a stream. */
  wait<T>(name: string, what: string, options: CallOptions | undefined, work: EngineWork<T>): Promise<T>;
  readonly socketPath: string;
}

export type EngineWork<T> = (docker: Docker, abortSignal: AbortSignal) => Promise<T>;

export interface EngineInit {
  readonly socketPath: string;
  readonly telemetry: Telemetry;
}

export function openEngine({ socketPath, telemetry }: EngineInit): Engine {
  const run = async <T>(
    name: string,
    what: string,
    abortSignal: AbortSignal,
    callerSignal: AbortSignal | undefined,
    work: EngineWork<T>,
  ): Promise<T> => {
    const span = telemetry.startSpan(`docker ${name}`, {
      kind: 'client',
      attributes: { 'rpc.system': 'docker', 'rpc.method': name },
    });
    try {
      return await telemetry.withSpan(span, () => request(socketPath, abortSignal, work));
    } catch (error) {
      const fault = engineFault(what, error, socketPath, callerSignal);
      span.fail(fault);
      throw fault;
    } finally {
      span.end();
    }
  };
  const never = new AbortController().signal;
  return {
    socketPath,
    call: (name, what, options, work) => {
      const limit = AbortSignal.timeout(callTimeoutMs);
      const signal = options?.signal;
      return run(name, what, anySignal(limit, signal), signal, work);
    },
    wait: (name, what, options, work) => run(name, what, options?.signal ?? never, options?.signal, work),
  };
}

/**
 * One request on a connection of its own: one that were kept would fail the first call to an engine that was started
 * again. The client never settles when the connection breaks within an answer, or the signal aborts then: so that is
 * looked after here.
 */
async function request<T>(socketPath: string, signal: AbortSignal, work: EngineWork<T>): Promise<T> {
  signal.throwIfAborted();
  // Loaded when it is first needed: most nodes have no engine.
  const { default: Client } = await import('dockerode');
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const agent = new WatchedAgent(() => broken.reject(new ConnectionLost()));
  const onAbort = () => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([
      work(new Client({ socketPath, agent } as DockerOptions), signal),
      broken.promise,
    ]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class ConnectionLost extends Error {
  readonly code = 'ECONNRESET';
}

/** Tells when its connection has ended, after the answer that came with the end was heard. */
class WatchedAgent extends Agent {
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    super({ keepAlive: false });
    this.#onEnd = onEnd;
  }

  override createConnection(
    ...args: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    const connection = super.createConnection(...args);
    connection?.once('close', () => setImmediate(this.#onEnd));
    return connection;
  }
}
