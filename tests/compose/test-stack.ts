import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { engineAccess, engineVariables, runDocker, tryDocker } from '@nodewright/provision/engine';
import { noTelemetry } from '@nodewright/telemetry';

const checkout = join(import.meta.dirname, '..', '..');

/** A stack of compose.yaml with its own name, network and ports. Disposing it removes everything. */
export interface TestStack extends AsyncDisposable {
  readonly name: string;
  /** `http://127.0.0.1:<port>` of Jaeger's query API, and of its OTLP receiver. */
  readonly jaeger: string;
  readonly otlp: string;
  /** The administrator's talosconfig, for clients on this host. */
  readonly talosconfig: string;
  addressOf(node: number): string;
  openClient(): TalosClient;
  /**
   * The engine's view of the containers, by service: the running ones, or with `--all` also the exited ones.
   */
  inspect(...flags: string[]): Promise<Record<string, ContainerFacts>>;
  compose(...args: string[]): Promise<string>;
  /** Kills the first process of each of these containers with SIGKILL, as a crash does. */
  crash(...containers: ContainerFacts[]): Promise<void>;
}

export interface ContainerFacts {
  readonly Id: string;
  readonly Config: { readonly User: string; readonly Cmd: readonly string[] | null };
  readonly Path: string;
  readonly Args: readonly string[];
  readonly State: {
    readonly Pid: number;
    readonly Running: boolean;
    readonly Health?: { readonly Status: string };
  };
  readonly RestartCount: number;
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapAdd: readonly string[] | null;
    readonly CapDrop: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly Privileged: boolean;
    readonly Memory: number;
    readonly PidsLimit: number | null;
    readonly PidMode: string;
    readonly RestartPolicy: { readonly Name: string };
  };
  readonly Mounts: readonly { readonly Source: string }[];
}

export async function openTestStack(tag: string): Promise<TestStack> {
  const name = `test-stack-${process.pid}`;
  const network = await freeNetwork();
  const { engineSocket, engineGroup } = engineAccess(engineVariables(process.env));
  const environment = {
    ...process.env,
    NODEWRIGHT_CLUSTER: name,
    NODEWRIGHT_TAG: tag,
    NODEWRIGHT_NET: network,
    // The engine chooses free ports.
    NODEWRIGHT_JAEGER_PORT: '',
    NODEWRIGHT_OTLP_PORT: '',
    NODEWRIGHT_ENGINE_SOCKET: engineSocket,
    NODEWRIGHT_ENGINE_GROUP: engineGroup,
  };
  const compose = (...args: string[]) =>
    runDocker(['compose', '--ansi', 'never', ...args], { environment, workingDirectory: checkout });
  const folder = await mkdtemp(join(tmpdir(), 'stack-'));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true }));
  undo.defer(async () => {
    await compose('down', '--volumes', '--timeout', '5');
  });
  try {
    await compose('up', '--detach', '--wait', '--wait-timeout', '300');
  } catch (error) {
    throw new Error(`the stack did not start:\n${await describeHealth(name)}`, { cause: error });
  }
  const portOf = async (port: number) => `http://${(await compose('port', 'jaeger', String(port))).trim()}`;
  await compose('cp', 'init:/cluster/admin/talosconfig', folder);
  const talosconfig = join(folder, 'talosconfig');
  const config = parseTalosconfig(await readFile(talosconfig, 'utf8'));
  const [jaeger, otlp] = await Promise.all([portOf(16686), portOf(4318)]);
  const disposal = undo.move();
  return {
    name,
    jaeger,
    otlp,
    talosconfig,
    compose,
    addressOf: (node) => `${network}.${node + 1}`,
    openClient: () =>
      openTalosClient({ context: config.contexts.get(config.context), telemetry: noTelemetry }),
    async inspect(...flags) {
      const ids = (await compose('ps', '--quiet', ...flags)).trim().split('\n');
      const found = JSON.parse(await runDocker(['inspect', ...ids])) as (ContainerFacts & {
        Config: { Labels: Record<string, string> };
      })[];
      return Object.fromEntries(
        found.map((facts) => [facts.Config.Labels['com.docker.compose.service'] ?? '', facts]),
      );
    },
    async crash(...containers) {
      const pids = containers.map(({ State }) => State.Pid);
      const script = `for (const pid of ${JSON.stringify(pids)}) process.kill(pid, 'SIGKILL')`;
      // Kill from outside: inside a container the kernel protects the first process. `docker kill` does not
      // fit either: after it the engine does not restart the container.
      await runDocker([
        ...['run', '--rm', '--network=none', '--pid=host', '--user=0', '--cap-drop=ALL', '--cap-add=KILL'],
        ...['--entrypoint=/usr/bin/node', `nodewright/toolbox:${tag}`, '--eval', script],
      ]);
    },
    [Symbol.asyncDispose]: () => disposal[Symbol.asyncDispose](),
  };
}

/** What the engine's probes of each container that is not healthy said, for the message of a failed test. */
async function describeHealth(name: string): Promise<string> {
  const label = `label=com.docker.compose.project=${name}`;
  const ids = (await runDocker(['ps', '--all', '--quiet', '--filter', label])).trim().split('\n');
  const format = '{{.Name}} {{.State.Status}} {{json .State.Health}}';
  const { stdout } = await tryDocker(['inspect', '--format', format, ...ids]);
  return stdout
    .split('\n')
    .filter((line) => !line.includes('"Status":"healthy"'))
    .join('\n');
}

/** Retries until `body` succeeds. */
export async function eventually<T>(timeoutMs: number, body: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

/** Lists what is left of a stack in the engine: containers, networks and volumes. */
export async function leftoversOf(name: string): Promise<string[]> {
  const lists = await Promise.all(
    [
      ['ps', '--all', '--format', '{{.Names}}'],
      ['network', 'ls', '--format', '{{.Name}}'],
      ['volume', 'ls', '--format', '{{.Name}}'],
    ].map((args) => runDocker(args)),
  );
  return lists.flatMap((list) => list.split('\n')).filter((line) => line.startsWith(name));
}

/**
 * The first three bytes of a /24 that no network of this engine or of another engine on this machine uses.
 */
async function freeNetwork(): Promise<string> {
  const ids = (await runDocker(['network', 'ls', '--quiet'])).trim().split('\n');
  const { stdout } = await tryDocker([
    ...['network', 'inspect', '--format', '{{range .IPAM.Config}}{{.Subnet}} {{end}}'],
    ...ids,
  ]);
  const ofThisHost = Object.values(networkInterfaces()).flatMap(
    (list) => list?.map(({ cidr }) => cidr) ?? [],
  );
  const taken = [stdout, ...ofThisHost].join(' ');
  for (let third = 100; third < 250; third++) {
    if (!taken.includes(`10.5.${third}.`)) return `10.5.${third}`;
  }
  throw new Error('the engine has no network left for a test');
}
