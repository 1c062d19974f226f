// Starts one registryd under the permissions that it has on a node, with resources and a registry to pull from.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type RegistryServiceClient,
  RegistryServiceDefinition,
} from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import {
  etcdSpecs,
  imageCacheConfigs,
  type RegistryConfigSpec,
  registryConfigs,
} from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { type DaemonProcess, eventually, serveState, spawnDaemon } from '@nodewright/testkit';

export const registry = 'registry.example';

export interface RegistrydInit {
  /** The only mirror of `registry`, without a fallback. */
  readonly mirror: string;
  readonly maxMegabytes?: number;
  /** Whether the node publishes nothing before `publish()`; by default it has all settings from the start. */
  readonly waitsForSettings?: boolean;
  /** A program and its arguments that executes the daemon. */
  readonly through?: (cacheFolder: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags of the daemon. */
  readonly args?: readonly string[];
}

export interface Registryd extends AsyncDisposable {
  readonly root: string;
  readonly cacheFolder: string;
  /** The unix socket of the management. */
  readonly socket: string;
  readonly management: RegistryServiceClient<object>;
  /** The running process; another one after `restart`. */
  process(): DaemonProcess;
  /** Requests a path of the endpoint. */
  get(path: string, init?: RequestInit): Promise<Response>;
  blob(repository: string, digest: string, init?: RequestInit): Promise<Response>;
  manifest(repository: string, which: string, init?: RequestInit): Promise<Response>;
  port(): number;
  /** Publishes settings of registries, and waits until they are adopted. */
  configure(changes: Partial<RegistryConfigSpec>): Promise<void>;
  setRoots(roots: readonly string[]): Promise<void>;
  /** Publishes that the configuration does not enable the image cache. */
  disable(): Promise<void>;
  /** Publishes the first settings of a daemon that waits for them. */
  publish(): Promise<void>;
  setEtcdImage(image: string): Promise<void>;
  /** Kills the process as a power cut would, or stops it, and starts another one. */
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const checkout = join(import.meta.dirname, '..', '..', '..');

export async function startRegistryd(init: RegistrydInit): Promise<Registryd> {
  const root = mkdtempSync(join(tmpdir(), 'registryd-'));
  const cacheFolder = join(root, 'cache');
  const runtimeSocket = join(root, 'runtime.sock');
  const socket = join(root, 'run', 'registryd.sock');
  for (const folder of [cacheFolder, join(root, 'run')]) mkdirSync(folder);
  const state = await serveState(runtimeSocket, undefined, []);
  const configs = (changes: Partial<RegistryConfigSpec>): RegistryConfigSpec => ({
    mirrors: {
      [registry]: { endpoints: [{ endpoint: init.mirror, overridePath: false }], skipFallback: true },
    },
    ...{ auths: {}, tls: {}, ...changes },
  });
  const cacheConfig = (status: 'ready' | 'disabled', roots: readonly string[]) =>
    state.put(imageCacheConfigs, imageCacheConfigs.singleton, {
      ...{ status, copyStatus: 'skipped', roots: [...roots] },
    });
  const publish = async () => {
    await state.put(registryConfigs, registryConfigs.singleton, configs({}));
    await cacheConfig('ready', []);
  };
  if (init.waitsForSettings !== true) await publish();

  let daemon: DaemonProcess;
  let port: number;
  const start = async () => {
    daemon = await spawnDaemon({
      name: 'registryd',
      args: [
        ...['--runtime-socket', runtimeSocket, '--socket', socket, '--cache-folder', cacheFolder],
        ...['--listen-address', `127.0.0.1:${port ?? 0}`],
        ...(init.maxMegabytes === undefined ? [] : ['--max-megabytes', String(init.maxMegabytes)]),
        ...(init.args ?? []),
      ],
      nodeFlags: [
        ...['--max-semi-space-size=2', '--permission', '--allow-net', '--allow-ffi'],
        ...['--allow-fs-read=/proc/self/smaps', '--allow-fs-read=/proc/self/statm'],
        '--disable-warning=SecurityWarning',
        ...[checkout, root].map((path) => `--allow-fs-read=${path}`),
        ...[cacheFolder, join(root, 'run')].map((path) => `--allow-fs-write=${path}`),
      ],
      ...(init.through === undefined ? {} : { through: init.through(cacheFolder) }),
      ...(init.env === undefined ? {} : { env: init.env }),
    });
    const line = await daemon.waitForLine('listening');
    port = Number(String(line.listenAddress).split(':')[1]);
    if (init.waitsForSettings !== true || isPublished) await daemon.waitForLine('settings adopted');
  };
  let isPublished = false;
  await start();
  const channel = openUnixChannel(socket, { maxReconnectPauseMs: 100 });
  const management = createRpcClient(RegistryServiceDefinition, channel, { telemetry: noTelemetry });

  /** After a lost connection gRPC pauses, and calls fail at once until it tries again. */
  const connected = () => {
    const isAnswered = () =>
      management.status({}).then(
        () => true,
        () => false,
      );
    return eventually(isAnswered, { what: 'a connection to registryd' });
  };

  /** Runs a change of the resources, and waits until registryd has seen it. */
  const adopted = async (change: () => Promise<void>) => {
    const count = () => daemon.lines().filter(({ msg }) => msg === 'settings adopted').length;
    const before = count();
    await change();
    for (let tries = 0; count() === before; tries += 1) {
      if (tries > 6000) throw new Error(`the settings were not adopted:\n${daemon.stdout()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const get = (path: string, request: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, request);
  const content = (family: string) => (repository: string, which: string, request?: RequestInit) =>
    get(`/v2/${repository}/${family}/${which}?ns=${registry}`, request);
  return {
    ...{ root, cacheFolder, socket, management, get },
    process: () => daemon,
    port: () => port,
    blob: content('blobs'),
    manifest: content('manifests'),
    configure: (changes) =>
      adopted(() => state.put(registryConfigs, registryConfigs.singleton, configs(changes))),
    setRoots: (roots) => adopted(() => cacheConfig('ready', roots)),
    disable: () => adopted(() => cacheConfig('disabled', [])),
    publish: async () => {
      isPublished = true;
      await adopted(publish);
    },
    setEtcdImage: (image) =>
      adopted(() =>
        state.put(etcdSpecs, etcdSpecs.singleton, {
          ...{ name: 'node', image, extraArgs: {} },
          ...{ advertisedAddresses: [], listenPeerAddresses: [], listenClientAddresses: [] },
        }),
      ),
    async restart(signal = 'SIGTERM') {
      daemon.signal(signal);
      await daemon.exited;
      await start();
      await connected();
    },
    async [Symbol.asyncDispose]() {
      channel[Symbol.dispose]();
      await daemon[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
