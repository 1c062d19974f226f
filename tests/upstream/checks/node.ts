// General facts that the client reads of a node.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prints, refuses } from '../check.ts';

const noRuntime = 'no container runtime runs on this node';
const process = { only: ['process'] } as const;
const docker = { only: ['docker'] } as const;
const processAndMachine = { only: ['process', 'qemu'] } as const;
const containerAndMachine = { only: ['docker', 'qemu'] } as const;

export const nodeChecks = [
  prints('version', 'prints the versions of the client and the node', '-n {node} version', {
    stdout: [/^\s+Tag: +v1\.13\.9$/m, /NODE: +\S+\n\s+Tag: +v1\.14/, /Enabled: +RBAC/],
  }),
  prints('version', 'calls several nodes, the worker through a control plane', '-n {node},{worker} version', {
    stdout: [/NODE: +node01/, 'NODE: +{worker}'],
  }),
  prints('version', 'reports a node that does not exist, and the hop', '-n node77 version', {
    exitCode: 1,
    stderr: [/no route to node "node77"/],
  }),
  prints('memory', 'prints a row per node', '-n {node},{worker} memory', {
    stdout: [/^NODE +TOTAL +USED/, /^node01 +\d+/m, '^{worker} +\\d+'],
  }),
  prints('memory', 'prints the fields of the kernel with -v', '-n {node} memory -v', {
    stdout: [/MemTotal:? +\d+/i],
  }),
  prints('processes', 'lists processes sorted by memory', '-n {node} processes -s rss', {
    stdout: [/^NODE +PID +STATE +THREADS/, /^node01 +\d+/m],
  }),
  prints('mounts', 'lists mounts', '-n {node} mounts', { stdout: [/^NODE +FILESYSTEM/, /^node01 +\S+/m] }),
  ...['cpu', 'cpuset', 'io', 'memory', 'process', 'psi', 'swap'].map((preset) =>
    prints('cgroups', `prints control groups with preset ${preset}`, `-n {node} cgroups --preset ${preset}`, {
      stdout: [preset === 'memory' ? /^NAME +MemCurrent/ : /^NAME +\S/],
      // Processes are listed with the host's cgroups: with cgroups of version 1, the client finds no times in
      // them.
      ...(preset === 'cpu' ? containerAndMachine : {}),
    }),
  ),
  prints('netstat', 'lists listening sockets with their programs', '-n {node} netstat -a -l -p', {
    stdout: [/Proto +Recv-Q/, /:50000 .*LISTEN/],
  }),
  prints('netstat', 'prints extended columns of IPv4 TCP sockets', '-n {node} netstat -x -4 -t', {
    stdout: [/Proto +Recv-Q/],
  }),
  prints('time', 'queries the time server of the node', '-n {node} time', {
    stdout: [/NTP-SERVER-TIME/, /node01 .* UTC/],
  }),
  prints('time', 'reports a time server that does not answer', '-n {node} time --check 127.0.0.1', {
    exitCode: 1,
    stderr: [/time server "127\.0\.0\.1"/],
  }),
  prints('inspect dependencies', 'prints the graph of the controllers', '-n {node} inspect dependencies', {
    stdout: [/^digraph/, /MachineStatusController/, /\}\s*$/],
  }),
  prints(
    'inspect dependencies',
    'prints the graph with the existing resources',
    '-n {node} inspect dependencies --with-resources',
    { stdout: [/^digraph/, /MachineStatuses/, /\}\s*$/] },
  ),
  prints('health', 'passes when the node checks its cluster', '-n {node} health --wait-timeout 60s', {
    stderr: [/waiting for etcd to be healthy: OK/, /waiting for apid to be ready: OK/],
  }),
  prints('health', 'is refused to a certificate without a role', '-n {node} health --wait-timeout 10s', {
    as: 'none',
    exitCode: 1,
    stderr: [/PermissionDenied/],
  }),
  prints('events', 'prints past events until it is interrupted', '-n {worker} events --tail -1', {
    until: /machine\.SequenceEvent[\s\S]*machine\.ServiceStateEvent/,
  }),
  refuses('dmesg', '-n {node} dmesg', 'run dmesg on the machine that runs this one', docker),
  prints('dmesg', 'prints the log of the kernel', '-n {node} dmesg', {
    ...processAndMachine,
    stdout: [/^node01: \S+: +\S+: \[/m],
  }),
  prints('pcap', 'captures packets to a file', '-n {node} pcap -i lo --duration 1s -o {folder}/lo.pcap', {
    ...processAndMachine,
    // The tests may run without root, and then the node reports that it lacks permission.
    exitCode: globalThis.process.getuid?.() === 0 ? 0 : 1,
    after: async ({ folder }) => {
      if (globalThis.process.getuid?.() !== 0) return;
      const file = await readFile(join(folder, 'lo.pcap'));
      assert.ok(['a1b2c3d4', 'a1b23c4d'].includes(file.readUInt32LE(0).toString(16)), 'a pcap file');
    },
  }),
  prints(
    'support',
    'writes an archive of all resources and logs',
    '-n {node} support -O {folder}/support.zip',
    {
      after: async ({ folder }, { stderr }) => {
        // File names are in an archive uncompressed.
        const archive = await readFile(join(folder, 'support.zip'), 'latin1');
        const logs = ['machined.log', 'controller-runtime.log', 'dns-resolve-cache.log'];
        for (const name of ['versions.runtime.talos.dev.yaml', 'trustd.state', ...logs])
          assert.ok(archive.includes(name), `no ${name} in the archive`);
        assert.doesNotMatch(stderr, /was not registered/);
      },
    },
  ),
  refuses('pcap', '-n {node} pcap -i lo --duration 1s -o {folder}/none.pcap', 'needs CAP_NET_RAW', docker),
  prints('containers', 'lists containers', '-n {node} containers', {
    ...containerAndMachine,
    stdout: [/NODE +NAMESPACE/],
  }),
  refuses('containers', '-n {node} containers', noRuntime, process),
  prints('stats', 'prints the resource usage of containers', '-n {node} stats', {
    ...containerAndMachine,
    stdout: [/NODE +NAMESPACE/],
  }),
  refuses('stats', '-n {node} stats', noRuntime, process),
  refuses('restart', '-n {node} restart nosuch', noRuntime, process),
  refuses('restart', '-n {node} restart nosuch', 'nosuch', containerAndMachine),
];
