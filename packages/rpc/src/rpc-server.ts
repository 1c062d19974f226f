import { chmodSync, chownSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServerCredentials } from '@grpc/grpc-js';
import { maxMessageSizeBytes as defaultMaxMessageSizeBytes } from '@nodewright/contract';
import { HealthDefinition } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { openUnixPath, prepareSocket } from '@nodewright/files';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { createServer, type ServerMiddleware } from 'nice-grpc';
import { withByteMessages } from './byte-messages.ts';
import { withEncodedMessages } from './encoded-messages.ts';
import { faultMiddleware } from './fault-middleware.ts';
import { HealthService } from './health-service.ts';
import { createLogMiddleware } from './log-middleware.ts';
import { createReflectionServices } from './reflection-service.ts';
import type { RpcService } from './rpc-service.ts';
import { sendAhead } from './send-ahead.ts';
import { refuseUndecodable, withTolerantDecoding } from './tolerant-decoding.ts';
import { createServerTraceMiddleware } from './trace-middleware.ts';
import {
  localTransportLimits,
  releaseStreamedBytes,
  type TransportLimits,
  transportOptions,
} from './transport-limits.ts';
import { nameUnknownMethods } from './unknown-method.ts';

export interface RpcServerInit {
  services: readonly RpcService[];
  /**
   * Middleware such as role checks. It runs inside tracing, logging and fault handling; the first entry is
   * outermost.
   */
  middleware?: readonly ServerMiddleware[];
  telemetry: Telemetry;
  log: Logger;
  /** Larger requests are rejected with RESOURCE_EXHAUSTED. Default 32 MiB. */
  maxMessageSizeBytes?: number;
  /** Whether the server offers the reflection service. Default true. */
  reflection?: boolean;
  /** Whether the server offers the health service. Default true. */
  health?: boolean;
  /** The limits for clients. Default: the limits between daemons of one node. */
  transportLimits?: TransportLimits;
  /**
   * How long calls in flight may continue after the server starts to close, in milliseconds. Default 5,000.
   */
  drainTimeoutMs?: number;
}

export interface UnixListenOptions {
  /** Mode of the socket's directory. Every user who may enter it may call. Default 0700. */
  directoryMode?: number;
  /**
   * Owner of the directory and the socket. Needs root, unless it is this process's user and one of its
   * groups.
   */
  owner?: { uid: number; gid: number };
  /** Mode of the socket. Default 0600, whatever the umask. */
  socketMode?: number;
}

/**
 * A gRPC server with health, reflection, tracing, request log and one place for errors. Disposing it drains
 * it.
 */
export interface RpcServer extends AsyncDisposable {
  /** Listens on a unix socket. Creates its directory and replaces a stale socket. */
  listenUnix(path: string, options?: UnixListenOptions): Promise<void>;
  /** Listens on `host:port` with TLS; port 0 picks a free port. Resolves to the bound port. */
  listenTls(address: string, credentials: ServerCredentials): Promise<number>;
  /** The status that the health service reports. True from the start. */
  setServing(serving: boolean): void;
}

/** Static stream window of each connection, in bytes. Source: Talos v1.14: server-side gRPC settings. */
const streamWindowBytes = 65_535 * 32;
const defaultDrainTimeoutMs = 5000;

function fullName({ definition }: RpcService): string {
  if ('fullName' in definition && typeof definition.fullName === 'string') return definition.fullName;
  const [method] = Object.values(definition) as { path?: string }[];
  return method?.path?.split('/')[1] ?? '';
}

export function createRpcServer(init: RpcServerInit): RpcServer {
  const { telemetry, log, drainTimeoutMs = defaultDrainTimeoutMs } = init;
  nameUnknownMethods();
  // Outermost first: rejected calls are traced and logged too, and every error becomes a status in one place.
  const server = createServer({
    ...transportOptions({
      ...(init.transportLimits ?? localTransportLimits),
      onRefused: (method, reason) => log.warn({ method, reason }, 'request refused'),
    }),
    // The first middleware sees the library's own call object.
    interceptors: [releaseStreamedBytes, sendAhead],
    'grpc.max_receive_message_length': init.maxMessageSizeBytes ?? defaultMaxMessageSizeBytes,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': streamWindowBytes,
  })
    .use(createServerTraceMiddleware(telemetry))
    .use(createLogMiddleware(log))
    .use(faultMiddleware);
  const names = init.services.map(fullName);
  const health = new HealthService(names);

  const add = ({ definition, implementation }: RpcService, middleware: readonly ServerMiddleware[] = []) => {
    let builder: Pick<typeof server, 'add' | 'with'> = server;
    for (const each of [...middleware, refuseUndecodable]) builder = builder.with(each);
    builder.add(withTolerantDecoding(withEncodedMessages(withByteMessages(definition))), implementation);
  };
  for (const service of init.services) add(service, init.middleware);
  // The standard services bypass the daemon's own checks: every client of the socket may check its health.
  if (init.health !== false) add({ definition: HealthDefinition, implementation: health });
  if (init.reflection !== false) {
    for (const service of createReflectionServices([...names, 'grpc.health.v1.Health'])) add(service);
  }

  const resources = new DisposableStack();
  return {
    async listenUnix(path, { directoryMode = 0o700, owner, socketMode = 0o600 } = {}) {
      // The folder has its mode from the beginning: programs in it that wait for the socket would take a locked folder for a fault.
      await prepareSocket(path, directoryMode);
      const socket = resources.use(openUnixPath(path));
      await server.listen(`unix:${socket.path}`);
      if (owner !== undefined) {
        chownSync(dirname(path), owner.uid, owner.gid);
        chownSync(path, owner.uid, owner.gid);
      }
      // Set the mode after the owner, so that no wrong group can ever use the socket.
      chmodSync(path, socketMode);
    },
    listenTls: (address, credentials) => server.listen(address, credentials),
    setServing: (serving) => health.setServing(serving),
    async [Symbol.asyncDispose]() {
      health.setServing(false);
      const timer = setTimeout(() => server.forceShutdown(), drainTimeoutMs);
      await server
        .shutdown()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'server did not close cleanly'));
      clearTimeout(timer);
      resources.dispose();
    },
  };
}
