// How apid and trustd learn what they need: each over a socket of its own, on which it may read that and nothing else.
import { createRpcServer, type RpcService } from '@nodewright/rpc';
import { codecsOf, type State } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { guardedState } from '../../access/rpc/guarded-state.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { checkRuntimeAccess } from '../domain/runtime-access.ts';

export interface RuntimeSocketsInit {
  readonly state: State;
  readonly layout: NodeLayout;
  /** Where the reports go that trustd takes. */
  readonly membership: RpcService;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the watches when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Upstream's limit on these sockets, in bytes. Source: Talos v1.14: resource access granted to apid. */
const maxMessageSizeBytes = 4 * 1024 * 1024;

/**
 * Serves `cosi.resource.State`, read only, on the daemon's own socket, on `scope`, and to trustd what it does with the
 * reports of workers. Who may call is decided by the modes
 * and owners of the folders: Node.js cannot ask a socket for the process at its other end.
 */
export async function openRuntimeSocket(
  daemon: ChildDaemon,
  init: RuntimeSocketsInit,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { layout } = init;
  const paths = { apid: layout.paths.apidRuntimeSocket, trustd: layout.paths.trustdRuntimeSocket };
  const server = scope.use(createRuntimeServer(daemon, init));
  await server.listenUnix(paths[daemon], {
    directoryMode: layout.daemonFolderMode,
    socketMode: layout.socketMode,
    owner: layout.users?.[daemon],
  });
}

function createRuntimeServer(
  daemon: ChildDaemon,
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
    // Requests here are no news: a daemon follows what it may read as long as it runs.
    log: log.child({ socket: daemon }, { level: 'warn' }),
    maxMessageSizeBytes,
    reflection: false,
    health: false,
  });
}
