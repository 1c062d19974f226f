// A node that is started by hand, with the flags that rootfs/README.md gives.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeImage } from '@nodewright/build';
import { containerCapabilities } from '@nodewright/contract';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import { openHome } from '../cluster/process/process-cluster.ts';
import { runTalosctl, type TalosctlResult } from '../cluster/run-talosctl.ts';

/** The flags without which a node cannot run containers. */
export const capabilityFlags = [
  '--cap-drop',
  'ALL',
  ...containerCapabilities.flatMap(({ name }) => ['--cap-add', name]),
];
const commonFlags = [
  ...['--read-only', '--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined'],
  ...['--tmpfs', '/run', '--tmpfs', '/system', '--tmpfs', '/tmp'],
  ...['--volume', '/var', '--volume', '/system/state', '--volume', '/opt'],
];

export interface WholeNode extends AsyncDisposable {
  readonly container: string;
  readonly address: string;
  /** Calls the node, as an administrator of its configuration. */
  talosctl(...words: string[]): Promise<TalosctlResult>;
  /** Waits until the services run and are healthy. */
  runs(...services: string[]): Promise<void>;
  /** What machined has logged. */
  log(): Promise<string>;
  /** A file with the configuration of a control plane. */
  readonly configuration: string;
}

export interface StartWholeNodeInit {
  /** Give the node its configuration at its start; otherwise it waits for one. */
  readonly isConfigured: boolean;
  /** Replaces the flags of capabilities and of the cgroup namespace. */
  readonly rights?: readonly string[];
  /** Further flags of `docker run`. */
  readonly flags?: readonly string[];
  /** Default: the image without Kubernetes. */
  readonly image?: string;
  /** Further flags of `gen config`. */
  readonly configuration?: readonly string[];
}

let started = 0;

/** Starts a control plane whose certificates come from a new secrets bundle. */
export async function startWholeNode(init: StartWholeNodeInit): Promise<WholeNode> {
  await using scope = new AsyncDisposableStack();
  const home = scope.use(await openHome()).path;
  started += 1;
  const name = `whole-${process.pid}-${started}`;
  await runDocker(['network', 'create', name]);
  scope.defer(async () => void (await tryDocker(['network', 'rm', name])));
  const cli = { home, environment: {} };
  const must = async (...words: string[]) => {
    const result = await runTalosctl(words, cli);
    if (result.exitCode !== 0) throw new Error(`talosctl ${words.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const configuration = join(home, 'controlplane.yaml');
  // The address in the endpoint is for the Kubernetes API, which no test calls.
  await must(
    'gen',
    'config',
    name,
    'https://192.0.2.1:6443',
    '--output-dir',
    home,
    ...(init.configuration ?? []),
  );
  const text = (await must('machineconfig', 'patch', configuration, '--patch', withoutTime)).trim();
  await writeFile(configuration, `${text}\n`);
  const userData = Buffer.from(text).toString('base64');
  await runDocker([
    ...['run', '--detach', '--restart', 'on-failure', '--name', name, '--hostname', name, '--network', name],
    ...commonFlags,
    ...(init.rights ?? [...capabilityFlags, '--cgroupns', 'private']),
    ...(init.isConfigured ? ['--env', `USERDATA=${userData}`] : []),
    ...(init.flags ?? []),
    init.image ?? nodeImage,
  ]);
  scope.defer(async () => void (await tryDocker(['rm', '--force', '--volumes', name])));
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  const address = (await runDocker(['container', 'inspect', '--format', format, name])).trim();
  const talosconfig = join(home, 'talosconfig');
  const access = ['--talosconfig', talosconfig, '-e', address, '-n', address];
  const node = {
    ...{ container: name, address, configuration },
    talosctl: (...words: string[]) => runTalosctl([...words, ...access], cli),
    async log() {
      const { stdout, stderr } = await tryDocker(['logs', name]);
      return stdout + stderr;
    },
  };
  const kept = scope.move();
  return {
    ...node,
    async runs(...services) {
      let latest = '';
      await eventually(
        async () => {
          const { stdout, stderr } = await node.talosctl('services');
          latest = stdout + stderr;
          return services.every((id) => new RegExp(`\\b${id} +Running +OK`).test(stdout));
        },
        { what: `services ${services.join(', ')}`, timeoutMs: 180_000, explain: () => latest },
      );
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The clock of a container is that of its host, so no time server is needed. */
const withoutTime = JSON.stringify({ apiVersion: 'v1alpha1', kind: 'TimeSyncConfig', enabled: false });
