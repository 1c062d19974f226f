import { Agent } from 'node:http';
import { anySignal } from '@nodewright/async';
import type { Telemetry } from '@nodewright/telemetry';
import type Docker from 'dockerode';
import type { DockerOptions } from 'dockerode';
import type { CallOptions } from '../container-runtime.ts';
import { engineFault } from './engine-fault.ts';

/** Time limit of calls to an engine that hangs; streams have no limit. */
const callTimeoutMs = 60_000;

/**
 * The only access to the engine's API: it loads the client, converts failures to Faults, and records calls as
 * spans.
 */
export interface Engine {
  /**
   * One call with one response; `work` makes one request. `what` is the beginning of the message of a
   * failure: `cannot start "etcd"`.
   */
  call<T>(name: string, what: string, options: CallOptions | undefined, work: EngineWork<T>): Promise<T>;
  /** Like `call`, without a time limit: for long calls, and for the start of a stream. */
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
      attributes: { 'rpc.system.name': 'docker', 'rpc.method': name, 'server.address': socketPath },
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
 * Makes one request on a connection of its own. A kept connection would fail the first call after a restart
 * of the engine. The client never settles when the connection breaks within a response, or when the signal
 * aborts at that moment, so this function handles both.
 */
async function request<T>(socketPath: string, signal: AbortSignal, work: EngineWork<T>): Promise<T> {
  signal.throwIfAborted();
  // Loaded at the first use, because most nodes have no engine.
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

/**
 * Resolves when the connection has ended, after a response that arrived together with the end was processed.
 */
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
