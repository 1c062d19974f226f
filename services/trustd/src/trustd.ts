import { h2EngineVariable, nodePaths, ports } from '@nodewright/contract';
import {
  type DaemonContext,
  type DaemonDefinition,
  type OptionValues,
  parseListenAddress,
} from '@nodewright/daemon';
import { defaultEngineName, engineNamed, engineNames } from '@nodewright/h2';
import { tlsPrivateKey } from '@nodewright/pki';
import { createRpcServer } from '@nodewright/rpc';
import { adoptRoots } from './domain/adopt-roots.ts';
import { ByteBudget } from './domain/byte-budget.ts';
import { trustdLimits } from './domain/limits.ts';
import { LogAllowance } from './domain/log-allowance.ts';
import type { TrustRoot } from './domain/trust-root.ts';
import { WrongGuesses } from './domain/wrong-guesses.ts';
import { openNodeRecords } from './host/node-records.ts';
import { openListener } from './host/open-listener.ts';
import { systemClock } from './host/system-clock.ts';
import { watchTrustRoot } from './host/watch-trust-root.ts';
import { reportMethod } from './rpc/membership-service.ts';
import { certificateMethod } from './rpc/security-service.ts';
import { type CallServer, serveCall } from './rpc/serve-call.ts';

const options = {
  runtimeSocket: {
    env: 'TRUSTD_RUNTIME_SOCKET',
    type: 'path',
    default: nodePaths.trustdRuntimeSocket,
    description: 'unix socket on which machined serves certificates, the CA and the token',
  },
  listenAddress: {
    env: 'TRUSTD_LISTEN_ADDRESS',
    type: 'string',
    default: `:${ports.trustd}`,
    description: 'host:port to listen on; an empty host means all addresses',
  },
  healthSocket: {
    env: 'TRUSTD_HEALTH_SOCKET',
    type: 'path',
    description: 'unix socket for health checks and reflection; without it there is none',
  },
  h2Engine: {
    env: h2EngineVariable,
    type: 'string',
    choices: engineNames,
    default: defaultEngineName,
    description: 'implementation of HTTP/2 on the listener',
  },
} as const;

/** A listener with the root of trust that it uses. */
interface Serving extends AsyncDisposable {
  /** Adopts a root, or throws and keeps the last one. */
  adopt(root: TrustRoot): void;
}

const tlsPair = ({ server }: TrustRoot) => ({
  certificate: server.certificate,
  key: tlsPrivateKey(server.key),
});

async function serve(
  { telemetry, log, signal, options: settings }: DaemonContext<OptionValues<typeof options>>,
  first: TrustRoot,
): Promise<Serving> {
  const { listenAddress, runtimeSocket } = settings;
  let root = first;
  const records = openNodeRecords(runtimeSocket, telemetry);
  const anonymousLog = new LogAllowance(trustdLimits);
  const methods = [
    certificateMethod({
      root: () => root,
      now: () => new Date(),
      checkCertificate: (request, callSignal) => records.checkCertificate(request, callSignal),
    }),
    reportMethod((report, callSignal) => records.report(report, callSignal), signal),
  ];
  const server: CallServer = {
    methods: new Map(methods.map((method) => [method.path, method])),
    token: () => root.token,
    guesses: new WrongGuesses(trustdLimits),
    bodies: new ByteBudget(trustdLimits.bodyBytes),
    clock: systemClock,
    ...{ log, telemetry, anonymousLog },
  };
  const listener = openListener({
    ...{ engine: engineNamed(settings.h2Engine), clock: systemClock, log, anonymousLog },
    pair: tlsPair(root),
    onCall: (call, peer) => void serveCall(server, call, peer),
  });
  const port = await listener.listen(parseListenAddress(listenAddress));
  log.info({ listenAddress, port }, 'listening');
  return {
    adopt(next) {
      listener.setPair(tlsPair(next));
      root = next;
    },
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      records[Symbol.dispose]();
    },
  };
}

/**
 * The daemon trustd, on control planes: signs the certificate requests of joining nodes that have the shared
 * token, and accepts the reports of nodes.
 */
export const trustd: DaemonDefinition<typeof options> = {
  name: 'trustd',
  summary: 'signs the certificate requests of joining nodes and accepts their reports',
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
    // An error here, such as an address in use, ends the daemon; its supervisor restarts it.
    const served = await serve(context, first);
    serving = served;
    health.setServing(true);
    void adoptRoots(roots, {
      adopt: (root) => served.adopt(root),
      onAdopted: () => log.info('root of trust adopted'),
      onFailed: (error) => log.error({ error }, 'root of trust not adopted, keeping the last one'),
    });
  },
};
