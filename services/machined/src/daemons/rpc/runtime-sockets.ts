// The sockets over which the daemons read the node's resources. Each daemon has a socket of its own, with
// access to what it needs only.
import { createRpcServer, type RpcService } from '@nodewright/rpc';
import { codecsOf, type State } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { guardedState } from '../../access/rpc/guarded-state.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import type { RuntimeDaemon } from '../domain/daemon-command.ts';
import { checkRuntimeAccess } from '../domain/runtime-access.ts';

export interface RuntimeSocketsInit {
  readonly state: State;
  readonly layout: NodeLayout;
  /** The service to which trustd passes the reports of workers. */
  readonly membership: RpcService;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Aborts when the node stops, and ends the watches. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** The limit of messages in bytes, as upstream's. Source: Talos v1.14: resource access granted to apid. */
const maxMessageSizeBytes = 4 * 1024 * 1024;

/**
 * Serves `cosi.resource.State`, read only, on the daemon's own socket until `scope` ends; for trustd also the
 * membership service. The modes and owners of the folders decide who may connect, because Node.js cannot read
 * the peer credentials of a socket.
 */
export async function openRuntimeSocket(
  daemon: RuntimeDaemon,
  init: RuntimeSocketsInit,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { layout } = init;
  const { apidRuntimeSocket, trustdRuntimeSocket, registrydRuntimeSocket } = layout.paths;
  const paths = {
    ...{ apid: apidRuntimeSocket, trustd: trustdRuntimeSocket, registryd: registrydRuntimeSocket },
  };
  const server = scope.use(createRuntimeServer(daemon, init));
  await server.listenUnix(paths[daemon], {
    directoryMode: layout.daemonFolderMode,
    socketMode: layout.socketMode,
    owner: layout.users?.[daemon],
  });
}

function createRuntimeServer(
  daemon: RuntimeDaemon,
  { state, membership, now, stopSignal, log, telemetry }: RuntimeSocketsInit,
) {
  const guarded = guardedState(state, (verb, target) => {
    const fault = checkRuntimeAccess(daemon, verb, target);
    if (fault !== undefined) throw fault;
  });
  const service = createStateService({
    stateOf: () => guarded,
    codecs: codecsOf(nodeKinds),
    now,
    stopSignal,
  });
  return createRpcServer({
    services: daemon === 'trustd' ? [service, membership] : [service],
    telemetry,
    // Successful requests are not logged, because daemons watch resources all the time.
    log: log.child({ socket: daemon }, { level: 'warn' }),
    maxMessageSizeBytes,
    reflection: false,
    health: false,
  });
}
