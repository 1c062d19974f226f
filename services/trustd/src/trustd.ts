import { maxTrustdMessageSizeBytes, nodePaths, ports } from '@nodewright/contract';
import { SecurityServiceDefinition } from '@nodewright/contract/gen/securityapi/security.ts';
import { MembershipServiceDefinition } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { tlsPrivateKey } from '@nodewright/pki';
import { createRpcServer, ReloadingServerCredentials, type RpcServer } from '@nodewright/rpc';
import type { TrustRoot } from './domain/trust-root.ts';
import { openReportPasser } from './host/report-passer.ts';
import { watchTrustRoot } from './host/watch-trust-root.ts';
import { createMembershipService } from './rpc/membership-service.ts';
import { requireToken } from './rpc/require-token.ts';
import { createSecurityService } from './rpc/security-service.ts';

const options = {
  runtimeSocket: {
    env: 'TRUSTD_RUNTIME_SOCKET',
    type: 'path',
    default: nodePaths.trustdRuntimeSocket,
    description: 'unix socket on which machined hands over certificates, the CA and the token',
  },
  listenAddress: {
    env: 'TRUSTD_LISTEN_ADDRESS',
    type: 'string',
    default: `:${ports.trustd}`,
    description: 'host:port to serve on; an empty host means every address',
  },
  healthSocket: {
    env: 'TRUSTD_HEALTH_SOCKET',
    type: 'path',
    description: 'unix socket of the health and reflection services; none by default',
  },
} as const;

/** A listener and the root that it serves. */
interface Serving extends AsyncDisposable {
  /** Takes a new root over. */
  adopt(root: TrustRoot): void;
}

const tlsPair = ({ server }: TrustRoot) => ({
  certificate: server.certificate,
  key: tlsPrivateKey(server.key),
});

async function serve(
  context: DaemonContext<OptionValues<typeof options>>,
  first: TrustRoot,
): Promise<Serving> {
  const { telemetry, log } = context;
  const { listenAddress, runtimeSocket } = context.options;
  let root = first;
  const reports = openReportPasser(runtimeSocket, telemetry);
  const credentials = new ReloadingServerCredentials({ ...tlsPair(root), minVersion: 'TLSv1.3' });
  const server: RpcServer = createRpcServer({
    services: [
      {
        definition: SecurityServiceDefinition,
        implementation: createSecurityService({ root: () => root, now: () => new Date() }),
      },
      {
        definition: MembershipServiceDefinition,
        implementation: createMembershipService(
          (report, signal) => reports.pass(report, signal),
          context.signal,
        ),
      },
    ],
    middleware: [requireToken(() => root.token)],
    telemetry,
    log,
    maxMessageSizeBytes: maxTrustdMessageSizeBytes,
    // Strangers reach this port: it answers two calls and nothing else.
    reflection: false,
    health: false,
  });
  const port = await server.listenTls(listenAddress.replace(/^:/, '[::]:'), credentials);
  log.info({ listenAddress, port }, 'listening');
  return {
    adopt(next) {
      credentials.reload(tlsPair(next));
      root = next;
      log.info('root of trust adopted');
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      reports[Symbol.dispose]();
    },
  };
}

/**
 * Root of trust on control planes: signs the certificate requests of joining nodes against the shared token, and takes
 * their reports of themselves.
 */
export const trustd: DaemonDefinition<typeof options> = {
  name: 'trustd',
  summary: 'signs the certificate requests of joining nodes and takes their reports',
  options,
  async start(context, scope) {
    const { signal, log, telemetry } = context;
    const health = scope.use(createRpcServer({ services: [], telemetry, log }));
    health.setServing(false);
    const { healthSocket } = context.options;
    if (healthSocket !== undefined) await health.listenUnix(healthSocket);

    let serving: Serving | undefined;
    scope.defer(async () => {
      health.setServing(false);
      await serving?.[Symbol.asyncDispose]();
    });
    const roots = watchTrustRoot(context.options.runtimeSocket, { signal, log });
    const { value: first, done } = await roots.next();
    if (done === true) return;
    // A failure here, such as an address that is taken, ends the daemon; whoever started it starts it again.
    const served = await serve(context, first);
    serving = served;
    health.setServing(true);
    void (async () => {
      for await (const root of roots) served.adopt(root);
    })();
  },
};
