// A malicious node tries to control its reader's terminal, or to imitate another node, with every command.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { pointerTo } from '@nodewright/state';
import {
  extensionServiceConfigStatuses,
  extensionStatuses,
  hostnameStatuses,
  machineConfigs,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { commandPath, leafCommands } from '../../../cli/talosctl/src/context/command-path.ts';
import { accessOf } from '../../../cli/talosctl/src/node-selection/command-access.ts';
import { commandTable } from '../../../cli/talosctl/src/program/command-table.ts';
import { createProgram } from '../../../cli/talosctl/src/program/create-program.ts';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import { sampleConfig } from './fake-nodes.ts';
import { type HostileMode, hostileHandlers, hostileText } from './hostile-replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const hostileExtension = {
  ...{ name: hostileText, version: hostileText, author: hostileText, description: hostileText },
  ...{ compatibility: { talos: { version: hostileText } }, extraInfo: '' },
};

const scope = new AsyncDisposableStack();
let folder: string;
let talosconfig: string;
let mode: HostileMode = 'messages';
let files = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-node-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'config.yaml'), sampleConfig);
  await writeFile(join(folder, 'image.tar'), 'image');
  const kinds = [hostnameStatuses, machineConfigs, extensionStatuses, extensionServiceConfigStatuses];
  const store = await openNodeStore(kinds, [
    { ...pointerTo(hostnameStatuses, 'hostname'), spec: { hostname: hostileText, domainname: hostileText } },
    {
      ...pointerTo(extensionStatuses, hostileText),
      spec: { image: hostileText, metadata: hostileExtension },
    },
    { ...pointerTo(machineConfigs, 'v1alpha1'), spec: sampleConfig, annotations: yamlSpecAnnotation },
  ]);
  const hostile = hostileHandlers(() => mode);
  const served = stateHandlers(kinds, () => store);
  const resources = Object.fromEntries(
    Object.entries(served).map(([path, handler]) => [
      path,
      (call: Parameters<typeof handler>[0]) =>
        mode === 'failure' ? call.fail(13, hostileText) : handler(call),
    ]),
  );
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({ ...hostile, ...resources });
  talosconfig = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
});
after(() => scope.disposeAsync());

/**
 * One or more command lines for each command that calls nodes, by the command's path. A missing command fails
 * the test.
 */
const attacks: Readonly<Record<string, readonly string[]>> = {
  'apply-config': ['apply-config -f config.yaml', 'apply-config -f config.yaml --dry-run'],
  bootstrap: ['bootstrap'],
  cgroups: ['cgroups', 'cgroups --preset memory'],
  'config new': ['config new FRESH'],
  containers: ['containers', 'containers -k'],
  copy: ['copy /etc -', 'copy /etc FRESH'],
  dashboard: ['dashboard -d 200ms'],
  diskfree: ['diskfree'],
  dmesg: ['dmesg', 'dmesg -o json'],
  edit: ['edit mc'],
  'etcd alarm disarm': ['etcd alarm disarm'],
  'etcd alarm list': ['etcd alarm list'],
  'etcd defrag': ['etcd defrag', 'etcd defrag --one-at-a-time'],
  'etcd downgrade cancel': ['etcd downgrade cancel'],
  'etcd downgrade enable': ['etcd downgrade enable 3.6'],
  'etcd downgrade validate': ['etcd downgrade validate 3.6'],
  'etcd forfeit-leadership': ['etcd forfeit-leadership'],
  'etcd leave': ['etcd leave', 'etcd leave --yes'],
  'etcd members': ['etcd members', 'etcd members -o yaml'],
  'etcd remove-member': ['etcd remove-member 1', 'etcd remove-member 1 --yes'],
  'etcd snapshot': ['etcd snapshot FRESH'],
  'etcd status': ['etcd status'],
  events: ['events', 'events -o json'],
  'extensions install': ['extensions install image.tar'],
  'extensions list': ['extensions list'],
  'extensions remove': ['extensions remove --yes'],
  'extensions sets': ['extensions sets'],
  'extensions status': ['extensions status'],
  get: [
    'get hostname',
    'get hostname -o yaml',
    'get hostname -o json',
    'get hostname -o jsonpath={.spec.hostname}',
    'get addresses --explain',
    'get nothing',
  ],
  health: ['health', 'health --server=false --control-plane-nodes 10.5.0.2 --wait-timeout 100ms'],
  'image import': ['image import image.tar'],
  'image list': ['image list'],
  'image pull': ['image pull x'],
  'image remove': ['image remove x', 'image remove x --yes'],
  'inspect dependencies': ['inspect dependencies', 'inspect dependencies -o json'],
  kubeconfig: ['kubeconfig FRESH', 'kubeconfig FRESH -o json'],
  list: ['list /', 'list -l /'],
  logs: ['logs apid', 'logs apid -o json'],
  memory: ['memory', 'memory -v'],
  'machineconfig convert': ['machineconfig convert --to 1.14 -o FRESH', 'machineconfig convert --to 1.14'],
  'machineconfig diff': ['machineconfig diff config.yaml', 'machineconfig diff config.yaml -o json'],
  'meta delete': ['meta delete 12'],
  'meta write': ['meta write 12 x'],
  mounts: ['mounts'],
  netstat: ['netstat -a -p'],
  patch: ['patch mc -p {"machine":{"type":"worker","sysctls":{"a":"b"}}}'],
  pcap: ['pcap --duration 1s', 'pcap -o -'],
  processes: ['processes'],
  read: ['read /etc/os-release'],
  reboot: ['reboot --wait=false --yes', 'reboot --timeout 300ms --yes', 'reboot', 'reboot --dry-run'],
  'registry collect': ['registry collect', 'registry collect --yes'],
  'registry images': ['registry images'],
  'registry pull': ['registry pull x'],
  'registry remove': ['registry remove x --yes'],
  'registry status': ['registry status'],
  'registry transfers': ['registry transfers', 'registry transfers -f'],
  'registry upstreams': ['registry upstreams'],
  reset: ['reset --wait=false --yes', 'reset', 'reset --dry-run'],
  restart: ['restart x'],
  rollback: ['rollback', 'rollback --yes', 'rollback --yes -o json'],
  service: ['service', 'service apid', 'service apid restart', 'service apid -o yaml'],
  shutdown: ['shutdown --timeout 300ms --yes --debug', 'shutdown'],
  stats: ['stats'],
  support: ['support -O FRESH', 'support -O FRESH -v'],
  time: ['time'],
  // Its server does not start without a built page; tests/ui shows hostile texts in the page.
  ui: ['ui --no-browser'],
  upgrade: [
    'upgrade -i x --no-reboot --yes',
    'upgrade -i x --wait=false --drain=false --yes -o json',
    'upgrade -i x --allow-downgrade --timeout 300ms --yes',
    'upgrade -i x --legacy --timeout 300ms --yes',
    'upgrade -i x --dry-run',
    'upgrade -i x',
    'upgrade -i x --all --dry-run',
    'upgrade -i x --all --yes --timeout 300ms',
    'upgrade status',
    'upgrade status --watch --timeout 300ms',
    'upgrade resume',
    'upgrade abort',
  ],
  usage: ['usage /'],
  version: ['version', 'version -o yaml', 'version --json'],
  'wipe disk': ['wipe disk vdb', 'wipe disk vdb vdc1 --drop-partition --yes', 'wipe disk vdb --yes -o json'],
};

/** Commands whose output is the content of one file, so its lines are not labelled with nodes. */
const contents = /^(?:read|copy \/etc -|pcap -o -)/;

/**
 * The escape sequences that this program sends itself: positions, colours, erased lines, the dashboard's
 * screen.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
const own = /\u001b\[(?:\?\d+[hl]|[\d;]*[HJKAm])|\r(?=\u001b\[[KJ])/g;
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** A command line on a terminal whose user answers every question with no. */
async function shownBy(line: string): Promise<string> {
  files += 1;
  const words = line.split(' ').map((word) => (word === 'FRESH' ? join(folder, `fresh-${files}`) : word));
  const parts: string[] = [];
  const decoder = new TextDecoder();
  const terminal = {
    ...{ isTTY: true, columns: 200, rows: 50, on: () => {}, off: () => {}, once: () => {} },
    write: (text: string | Uint8Array) => {
      parts.push(typeof text === 'string' ? text : decoder.decode(text, { stream: true }));
      return true;
    },
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const isDashboard = words[0] === 'dashboard';
  if (!isDashboard) stdin.end('no\n');
  const stop = new AbortController();
  // It runs until it is ended: here, after it has drawn the node's texts.
  const looking = isDashboard
    ? setInterval(() => {
        if (/evil|FORGED|away/.test(parts.join(''))) stop.abort();
      }, 20)
    : undefined;
  try {
    await runCli([...words, '-n', 'node01'], {
      ...{ stdout: terminal, stderr: terminal, stdin: stdin as unknown as NodeJS.ReadStream, cwd: folder },
      environment: {
        TALOSCONFIG: talosconfig,
        TALOS_EDITOR: 'sed -i s/first/second/',
        PATH: process.env.PATH,
      },
      now: () => new Date(),
      signal: stop.signal,
      isInteractive: true,
      telemetry: async () => noTelemetry,
    });
  } finally {
    clearInterval(looking);
  }
  return parts.join('');
}

test('each command that calls nodes is attacked below', async () => {
  const nowhere = { write: () => {} };
  const paths: string[] = [];
  for (const entry of commandTable) {
    const program = createProgram(entry, await entry.load(), { stdout: nowhere, stderr: nowhere } as never);
    for (const leaf of leafCommands(program.commands[0] as never)) paths.push(commandPath(leaf));
  }
  assert.deepEqual(paths.filter((path) => accessOf(path) !== 'local').sort(), Object.keys(attacks).sort());
});

let reached = 0;
for (const [path, lines] of Object.entries(attacks)) {
  test(`the answers of a node to ${path} neither control the terminal nor imitate another line`, async () => {
    for (const line of lines) {
      for (mode of ['messages', 'metadata', 'failure'] as const) {
        const shown = await shownBy(line);
        if (/evil|FORGED/.test(shown)) reached += 1;
        const what = `${line} (${mode})`;
        const rest = shown.replace(own, '');
        assert.doesNotMatch(rest, hidden, `${what}: ${JSON.stringify(rest)}`);
        if (contents.test(line) && mode === 'messages') continue;
        assert.doesNotMatch(rest, /^(?:error from node )?node02: FORGED/m, `${what}: ${rest}`);
      }
    }
  });
}

test('most of the attacks reached the terminal', () => {
  assert.ok(reached > 80, `${reached} outputs show a text of the node`);
});
