// A node with a real machined and stand-ins for the daemons that it starts.
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { MachineServiceDefinition, type ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { codecsOf } from '@nodewright/state';
import { acquireConfigStatuses } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { noTelemetry } from '@nodewright/telemetry';
import { type DaemonProcess, eventually, isServing, spawnDaemon } from '@nodewright/testkit';
import type { Client, CompatServiceDefinition } from 'nice-grpc';
import { clusterSecrets, type NodeConfigInit, nodeConfig } from './cluster-material.ts';
import { endLeftDaemons } from './end-left-daemons.ts';
import { writeFakeDaemons } from './fake-daemons.ts';

export interface NodeUnderTestInit extends Partial<NodeConfigInit> {
  /** Default: an address of its own in 127.8.0.0/13, which no cluster uses. */
  readonly address?: string;
  /** The folder of an earlier node, which is reused and kept; by default a new one. */
  readonly folder?: string;
  /** The node's machine configuration; by default that of `gen config`; `none` means no file. */
  readonly configuration?: 'none' | { readonly text: string };
  /** Whether the node finds a configuration and loads it. Default: if it is that of `gen config`, in a new folder. */
  readonly isConfigured?: boolean;
  /** Below the folder; default `root`. */
  readonly rootName?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Content of the membership file; none by default. */
  readonly members?: unknown;
  /** Folder of the bundles of apid and trustd; stand-ins by default. */
  readonly servicesFolder?: string;
  /** `child` (default): machined starts apid and trustd. `external`: they already run next to it. */
  readonly services?: 'child' | 'external';
  /** File modes apply to machined even when root runs the tests. */
  readonly obeysModes?: boolean;
  /** Words before the command of machined, for example to run it in another namespace. */
  readonly through?: readonly string[];
}

export interface NodeUnderTest extends AsyncDisposable {
  readonly root: string;
  readonly address: string;
  readonly socket: string;
  readonly machined: DaemonProcess;
  /** A client of the service with these values of `talos-role`. It is closed with the node. */
  client<Service extends CompatServiceDefinition>(definition: Service, ...roles: string[]): Client<Service>;
  /** The service as ServiceList shows it at the moment. */
  service(id: string): Promise<ServiceInfo>;
  /** Waits until this is the service's last message, and returns the service. */
  serviceSays(id: string, message: RegExp, timeoutMs?: number): Promise<ServiceInfo>;
  /** Controls the stand-in of a daemon. */
  order(daemon: 'apid' | 'trustd', text: string): Promise<void>;
  /** The whole log `id` as text. */
  log(id: string): Promise<string>;
}

export function ownAddress(): string {
  return `127.${randomInt(8, 16)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

/** Drops the capabilities that let root open every file. */
const withoutOverride = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];

/** No server listens there. */
const noTimeServer = '127.0.0.1:1';

/** The API serves before the node has read its configuration. Until then a call that applies another one is refused. */
async function hasLoadedConfiguration(channel: Parameters<typeof createRpcClient>[1]): Promise<void> {
  const metadata = { 'talos-role': ['os:reader'] };
  const client = createRpcClient(StateDefinition, channel, { telemetry: noTelemetry, metadata });
  const state = createStateClient({ client, codecs: codecsOf([acquireConfigStatuses]) });
  await eventually(async () => (await state.list(acquireConfigStatuses)).length > 0, {
    what: 'configuration of the machine',
  });
}

/** Starts a node and waits until its Machine API serves and its configuration is loaded. */
export async function startNode(init: NodeUnderTestInit = {}): Promise<NodeUnderTest> {
  await using scope = new AsyncDisposableStack();
  const folder = init.folder ?? (await mkdtemp(join(tmpdir(), 'machined-')));
  if (init.folder === undefined) scope.defer(() => rm(folder, { recursive: true, force: true }));

  const { address = ownAddress(), type = 'controlplane', timeServer = noTimeServer } = init;
  const root = join(folder, init.rootName ?? 'root');
  const socket = join(root, 'run', 'machined', 'machined.sock');
  const state = join(root, 'system', 'state');
  await mkdir(state, { recursive: true });
  if (init.folder === undefined && init.configuration !== 'none') {
    const config = nodeConfig({
      secrets: init.secrets ?? (await clusterSecrets()),
      type,
      timeServer,
      controlPlaneAddress: init.controlPlaneAddress ?? address,
    });
    await writeFile(join(state, 'config.yaml'), init.configuration?.text ?? config, { mode: 0o600 });
  }
  if (init.members !== undefined) await writeFile(join(state, 'members.json'), JSON.stringify(init.members));

  const empty = join(folder, 'empty');
  await mkdir(empty, { recursive: true });
  const services =
    init.services === 'external'
      ? ['--services', 'external']
      : ['--services-dir', init.servicesFolder ?? writeFakeDaemons(join(folder, 'services'), address)];
  // Every node needs a unique name, because trustd signs a name for one node only.
  const hostname = init.type === 'worker' ? 'node02' : 'node01';
  const args = ['--root', root, '--mode', 'process', '--hostname', hostname, '--address', address];
  const machined = await spawnDaemon({
    name: 'machined',
    args: [...args, ...services, ...(init.args ?? [])],
    cwd: empty,
    env: init.env,
    through: [
      ...(init.through ?? []),
      ...(init.obeysModes === true && process.getuid?.() === 0 ? withoutOverride : []),
    ],
  });
  scope.defer(() => endLeftDaemons(folder));
  scope.use(machined);
  const ended = machined.exited.then(() => true);
  await eventually(async () => (await isServing(socket)) || (await Promise.race([ended, false])), {
    what: 'Machine API',
    // A busy machine starts many nodes at once; one that has ended is noticed at once.
    timeoutMs: 120_000,
    explain: () => machined.stdout() + machined.stderr(),
  });

  const channel = scope.use(openUnixChannel(socket));
  const isConfigured = init.isConfigured ?? (init.configuration === undefined && init.folder === undefined);
  if (isConfigured) await hasLoadedConfiguration(channel);
  const client: NodeUnderTest['client'] = (definition, ...roles) =>
    createRpcClient(definition, channel, { telemetry: noTelemetry, metadata: { 'talos-role': roles } });
  const machine = client(MachineServiceDefinition, 'os:admin');

  const service = async (id: string) => {
    const { messages } = await machine.serviceList({});
    const found = messages[0]?.services.find((info) => info.id === id);
    if (found === undefined) throw new Error(`no service "${id}"`);
    return found;
  };
  const resources = scope.move();
  return {
    root,
    address,
    socket,
    machined,
    client,
    service,
    async serviceSays(id, message, timeoutMs) {
      // The daemons are listed once the node knows its machine type.
      let info: ServiceInfo | undefined;
      await eventually(
        async () => {
          info = await service(id).catch(() => undefined);
          return message.test(info?.events?.events.at(-1)?.msg ?? '');
        },
        { what: `"${message}" of ${id}`, timeoutMs, explain: () => machined.stdout() },
      );
      if (info === undefined) throw new Error(`no service "${id}"`);
      return info;
    },
    async order(daemon, text) {
      const folder = join(root, 'system', 'run', daemon);
      await eventually(() => existsSync(folder), { what: `folder of ${daemon}` });
      await writeFile(join(folder, 'order'), text);
    },
    async log(id) {
      const pieces: Uint8Array[] = [];
      for await (const { bytes } of machine.logs({ namespace: 'system', id, tailLines: -1 }))
        pieces.push(bytes);
      return Buffer.concat(pieces).toString();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
