import { randomBytes } from 'node:crypto';
import { createRpcServer, type RpcService } from '@nodewright/rpc';
import { codecsOf, type KindRef, MemoryState, pointerTo, putResource, type State } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import { createLogger, noTelemetry } from '@nodewright/telemetry';

/** The state of a node on a unix socket. The test writes it in place of machined. */
export interface StateServer extends AsyncDisposable {
  readonly state: State;
  readonly path: string;
  /** Creates or updates a resource; writes nothing when it is already equal. */
  put<S>(kind: KindRef<S>, id: string, spec: NoInfer<S>): Promise<void>;
  /** Destroys a resource; a missing resource is not an error. */
  remove(kind: KindRef, id: string): Promise<void>;
}

/**
 * Serves a state, by default an empty one, on the socket `path`, together with the other given services
 * of machined. Disposing it ends the watches and closes the socket.
 */
export async function serveState(
  path: string,
  state: State = newState(),
  services: readonly RpcService[] = [],
): Promise<StateServer> {
  const log = createLogger({ name: 'state', telemetry: noTelemetry, level: 'silent' });
  const stop = new AbortController();
  const service = createStateService({
    stateOf: () => state,
    codecs: codecsOf(nodeKinds),
    now: Date.now,
    stopSignal: stop.signal,
  });
  const server = createRpcServer({
    services: [service, ...services],
    telemetry: noTelemetry,
    log,
    drainTimeoutMs: 1000,
  });
  await server.listenUnix(path);
  return {
    state,
    path,
    async put(kind, id, spec) {
      await putResource(state, { ...pointerTo(kind, id), spec });
    },
    async remove(kind, id) {
      const found = (await state.list(kind)).some(({ metadata }) => metadata.id === id);
      if (found) await state.destroy(pointerTo(kind, id));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server[Symbol.asyncDispose]();
    },
  };
}

const newState = () => new MemoryState({ now: Date.now, cookie: randomBytes(8) });
