import { pause } from '@nodewright/async';
import { nodePaths, ports } from '@nodewright/contract';
import { RegistryServiceDefinition } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { type DaemonDefinition, parseListenAddress } from '@nodewright/daemon';
import { Fault, faultFrom } from '@nodewright/fault';
import { type AnswerRecord, openDistributionServer } from '@nodewright/oci/serve';
import { createAnswerTurns, createRpcServer } from '@nodewright/rpc';
import type { Logger } from '@nodewright/telemetry';
import { registrydLimits } from './domain/limits.ts';
import { followNodeSettings } from './host/node-settings.ts';
import { openRegistry, type Registry } from './host/registry.ts';
import { createRegistryService } from './rpc/registry-service.ts';

const options = {
  runtimeSocket: {
    env: 'REGISTRYD_RUNTIME_SOCKET',
    type: 'path',
    default: nodePaths.registrydRuntimeSocket,
    description: 'unix socket on which machined serves the settings of registries and of the image cache',
  },
  listenAddress: {
    env: 'REGISTRYD_LISTEN_ADDRESS',
    type: 'string',
    default: `127.0.0.1:${ports.registryd}`,
    description: 'loopback address to listen on, host:port',
  },
  socket: {
    env: 'REGISTRYD_SOCKET',
    type: 'path',
    default: nodePaths.registrydSocket,
    description: 'unix socket for the management of the cache, health checks and reflection',
  },
  sharesSocket: {
    env: 'REGISTRYD_SHARES_SOCKET',
    type: 'boolean',
    default: false,
    description: 'the group of the daemon may use the socket; by default only its user may',
  },
  cacheFolder: {
    env: 'REGISTRYD_CACHE_FOLDER',
    type: 'path',
    default: nodePaths.registrydCache,
    description: 'folder for images that are pulled',
  },
  maxMegabytes: {
    env: 'REGISTRYD_MAX_MEGABYTES',
    type: 'integer',
    default: registrydLimits.cacheMebibytes,
    description: 'size that pulled images are kept below, in MiB',
  },
} as const;

/**
 * The daemon registryd: serves the images of the node to its container runtime, and downloads those that the node lacks. It reads its
 * settings as resources of the node, and serves and downloads nothing before it has them.
 */
export const registryd: DaemonDefinition<typeof options> = {
  name: 'registryd',
  summary: 'serves container images of the node, and pulls those that it lacks',
  options,
  async start({ options: settings, signal, log, telemetry }, scope) {
    const address = loopbackAddress(settings.listenAddress);
    let { port } = address;
    const { cacheFolder } = settings;
    const registry = await openRegistry(
      {
        ...{ cacheFolder, limitBytes: settings.maxMegabytes * 1024 * 1024 },
        ...{ own: () => ({ host: address.host, port }), telemetry, log, signal },
      },
      scope,
    );
    const service = createRegistryService({
      ...{ registry, cacheFolder, architecture: process.arch },
      listenAddress: () => `${address.host}:${port}`,
    });
    const management = scope.use(
      createRpcServer({
        services: [{ definition: RegistryServiceDefinition, implementation: service }],
        // Calls for the state share one look at the files.
        middleware: [createAnswerTurns((next) => void setTimeout(next, registrydLimits.management.answerMs))],
        maxMessageSizeBytes: registrydLimits.management.messageBytes,
        transportLimits: registrydLimits.management.transport,
        ...{ telemetry, log },
      }),
    );
    const server = scope.use(
      await openDistributionServer({
        source: registry.source,
        telemetry,
        onAnswered: (record) => logAnswer(record, registry, log),
      }),
    );
    // Until machined has sent the settings for the first time, every request for content is refused.
    void adoptSettings(settings.runtimeSocket, registry, signal, log);
    port = await server.listen(address);
    await management.listenUnix(
      settings.socket,
      settings.sharesSocket ? { directoryMode: 0o750, socketMode: 0o660 } : {},
    );
    log.info({ listenAddress: `${address.host}:${port}`, cacheFolder }, 'listening');
    void collectRegularly(registry, signal, log);
  },
};

async function adoptSettings(
  socket: string,
  registry: Registry,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  for await (const settings of followNodeSettings(socket, { signal, log })) {
    registry.adopt(settings);
    const registries = Object.keys(settings.registries.mirrors);
    log.info({ roots: settings.roots, mirrors: registries }, 'settings adopted');
  }
}

async function collectRegularly(registry: Registry, signal: AbortSignal, log: Logger): Promise<void> {
  while (!signal.aborted) {
    await pause(registrydLimits.collectMs, signal);
    if (signal.aborted) return;
    try {
      const { removedFiles, freedBytes } = await registry.collector.collect();
      if (removedFiles > 0) log.info({ removedFiles, freedBytes }, 'cache collected');
    } catch (error) {
      const { message } = faultFrom(error);
      registry.counts.lastError = message;
      log.error({ error: message }, 'collection failed');
    }
  }
}

function logAnswer(record: AnswerRecord, { counts }: Registry, log: Logger): void {
  const { method, target, status, bytes, durationMs, fault } = record;
  counts.servedBytes += bytes;
  const { kind, registry, repository, which } = target;
  const facts = { method, content: kind, registry, repository, which, status, bytes };
  const measured = { ...facts, durationMs: Math.round(durationMs) };
  if (fault === undefined) log.info(measured, 'request');
  else log.warn({ ...measured, error: fault.message }, 'request failed');
}

/** Clients need no credentials, so only programs of the node may connect. */
function loopbackAddress(text: string): { readonly host: string; readonly port: number } {
  const { host = '', port } = parseListenAddress(text);
  if (/^127(\.\d{1,3}){3}$/.test(host) || host === '::1') return { host, port };
  throw new Fault('invalid-argument', `registryd listens on loopback addresses only, not on "${text}"`);
}
