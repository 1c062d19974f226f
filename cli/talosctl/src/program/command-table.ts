import type { CommandModule } from '../context/command-module.ts';

/** Titles of the command groups in `talosctl help`, in order. Source: Talos v1.14: talosctl help. */
export const commandGroups = {
  nodes: 'Manage running Talos clusters:',
  offline: 'Commands to generate and manage machine configuration offline:',
  clusters: 'Commands to manage local clusters:',
  other: 'Other commands:',
} as const;

export interface CommandEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  readonly group: keyof typeof commandGroups;
  /** Imports the command. Called only when the command is used. */
  readonly load: () => Promise<CommandModule>;
}

/** All implemented commands in alphabetical order. Importing this table loads none of them. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'apply-config',
    aliases: ['apply'],
    summary: 'Send a machine configuration to nodes',
    group: 'nodes',
    load: async () => (await import('../commands/apply-config.ts')).applyConfigCommand,
  },
  {
    name: 'bootstrap',
    aliases: [],
    summary: 'Start etcd on the first control plane of a cluster',
    group: 'nodes',
    load: async () => (await import('../commands/bootstrap.ts')).bootstrapCommand,
  },
  {
    name: 'cgroups',
    aliases: ['cg'],
    summary: 'Show the control groups of a node as a tree',
    group: 'nodes',
    load: async () => (await import('../commands/cgroups.ts')).cgroupsCommand,
  },
  {
    name: 'cluster',
    aliases: [],
    summary: 'Create, show and destroy local clusters',
    group: 'clusters',
    load: async () => (await import('../commands/cluster.ts')).clusterCommand,
  },
  {
    name: 'completion',
    aliases: [],
    summary: 'Print a completion script for bash, zsh, fish or powershell',
    group: 'other',
    load: async () => (await import('../commands/completion.ts')).completionCommand,
  },
  {
    name: 'config',
    aliases: [],
    summary: 'Manage the client configuration file (talosconfig)',
    group: 'nodes',
    load: async () => (await import('../commands/config.ts')).configCommand,
  },
  {
    name: 'containers',
    aliases: ['c'],
    summary: 'List the containers of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/containers.ts')).containersCommand,
  },
  {
    name: 'copy',
    aliases: ['cp'],
    summary: 'Copy a file or a folder from a node',
    group: 'nodes',
    load: async () => (await import('../commands/copy.ts')).copyCommand,
  },
  {
    name: 'dashboard',
    aliases: [],
    summary: 'Show nodes live on the terminal',
    group: 'nodes',
    load: async () => (await import('../commands/dashboard.ts')).dashboardCommand,
  },
  {
    name: 'diskfree',
    aliases: ['df'],
    summary: 'Show the space of mounted volumes',
    group: 'nodes',
    load: async () => (await import('../commands/diskfree.ts')).diskfreeCommand,
  },
  {
    name: 'dmesg',
    aliases: [],
    summary: 'Print the kernel log',
    group: 'nodes',
    load: async () => (await import('../commands/dmesg.ts')).dmesgCommand,
  },
  {
    name: 'edit',
    aliases: [],
    summary: 'Edit the machine configuration of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/edit.ts')).editCommand,
  },
  {
    name: 'etcd',
    aliases: [],
    summary: 'Manage etcd on the control planes',
    group: 'nodes',
    load: async () => (await import('../commands/etcd.ts')).etcdCommand,
  },
  {
    name: 'events',
    aliases: [],
    summary: 'Print events of nodes as they happen',
    group: 'nodes',
    load: async () => (await import('../commands/events.ts')).eventsCommand,
  },
  {
    name: 'extensions',
    aliases: [],
    summary: 'Show and manage the system extensions of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/extensions.ts')).extensionsCommand,
  },
  {
    name: 'gen',
    aliases: [],
    summary: 'Generate secrets, certificates and machine configuration',
    group: 'offline',
    load: async () => (await import('../commands/gen.ts')).genCommand,
  },
  {
    name: 'get',
    aliases: ['g'],
    summary: 'Show resources of nodes, or watch them',
    group: 'nodes',
    load: async () => (await import('../commands/get.ts')).getCommand,
  },
  {
    name: 'health',
    aliases: [],
    summary: 'Check the health of a cluster',
    group: 'nodes',
    load: async () => (await import('../commands/health.ts')).healthCommand,
  },
  {
    name: 'image',
    aliases: ['images'],
    summary: 'Manage the container images of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/image.ts')).imageCommand,
  },
  {
    name: 'inspect',
    aliases: [],
    summary: 'Inspect the controllers of a node',
    group: 'nodes',
    load: async () => (await import('../commands/inspect.ts')).inspectCommand,
  },
  {
    name: 'kubeconfig',
    aliases: [],
    summary: 'Write a kubeconfig for an administrator of Kubernetes',
    group: 'nodes',
    load: async () => (await import('../commands/kubeconfig.ts')).kubeconfigCommand,
  },
  {
    name: 'list',
    aliases: ['ls'],
    summary: 'List files of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/list.ts')).listCommand,
  },
  {
    name: 'logs',
    aliases: [],
    summary: 'Print the logs of a service',
    group: 'nodes',
    load: async () => (await import('../commands/logs.ts')).logsCommand,
  },
  {
    name: 'machineconfig',
    aliases: ['mc'],
    summary: 'Generate and patch machine configurations in files',
    group: 'offline',
    load: async () => (await import('../commands/machineconfig.ts')).machineconfigCommand,
  },
  {
    name: 'memory',
    aliases: ['m', 'free'],
    summary: 'Show memory usage',
    group: 'nodes',
    load: async () => (await import('../commands/memory.ts')).memoryCommand,
  },
  {
    name: 'meta',
    aliases: [],
    summary: 'Write and delete values of the META partition',
    group: 'nodes',
    load: async () => (await import('../commands/meta.ts')).metaCommand,
  },
  {
    name: 'mounts',
    aliases: ['mount'],
    summary: 'List mounted file systems and their space',
    group: 'nodes',
    load: async () => (await import('../commands/mounts.ts')).mountsCommand,
  },
  {
    name: 'netstat',
    aliases: ['ss'],
    summary: 'Show network sockets',
    group: 'nodes',
    load: async () => (await import('../commands/netstat.ts')).netstatCommand,
  },
  {
    name: 'patch',
    aliases: [],
    summary: 'Patch the machine configuration of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/patch.ts')).patchCommand,
  },
  {
    name: 'pcap',
    aliases: ['tcpdump'],
    summary: 'Capture the packets of a network interface',
    group: 'nodes',
    load: async () => (await import('../commands/pcap.ts')).pcapCommand,
  },
  {
    name: 'processes',
    aliases: ['p', 'ps'],
    summary: 'List running processes',
    group: 'nodes',
    load: async () => (await import('../commands/processes.ts')).processesCommand,
  },
  {
    name: 'read',
    aliases: ['cat'],
    summary: 'Print a file of a node',
    group: 'nodes',
    load: async () => (await import('../commands/read.ts')).readCommand,
  },
  {
    name: 'reboot',
    aliases: [],
    summary: 'Reboot nodes',
    group: 'nodes',
    load: async () => (await import('../commands/reboot.ts')).rebootCommand,
  },
  {
    name: 'registry',
    aliases: [],
    summary: 'Show and manage the image cache of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/registry.ts')).registryCommand,
  },
  {
    name: 'replay',
    aliases: [],
    summary: 'Serve a support archive as if its nodes ran',
    group: 'offline',
    load: async () => (await import('../commands/replay.ts')).replayCommand,
  },
  {
    name: 'reset',
    aliases: [],
    summary: 'Wipe nodes, and reboot or shut them down',
    group: 'nodes',
    load: async () => (await import('../commands/reset.ts')).resetCommand,
  },
  {
    name: 'restart',
    aliases: [],
    summary: 'Restart a container',
    group: 'nodes',
    load: async () => (await import('../commands/restart.ts')).restartCommand,
  },
  {
    name: 'service',
    aliases: ['services'],
    summary: 'Show, start, stop or restart services',
    group: 'nodes',
    load: async () => (await import('../commands/service.ts')).serviceCommand,
  },
  {
    name: 'shutdown',
    aliases: [],
    summary: 'Shut nodes down',
    group: 'nodes',
    load: async () => (await import('../commands/shutdown.ts')).shutdownCommand,
  },
  {
    name: 'stats',
    aliases: [],
    summary: 'Show memory and CPU time of containers',
    group: 'nodes',
    load: async () => (await import('../commands/stats.ts')).statsCommand,
  },
  {
    name: 'support',
    aliases: [],
    summary: 'Collect logs and state of nodes into one archive',
    group: 'nodes',
    load: async () => (await import('../commands/support.ts')).supportCommand,
  },
  {
    name: 'time',
    aliases: [],
    summary: 'Show the time of nodes and of their time servers',
    group: 'nodes',
    load: async () => (await import('../commands/time.ts')).timeCommand,
  },
  {
    name: 'ui',
    aliases: [],
    summary: 'Show nodes live in a browser',
    group: 'nodes',
    load: async () => (await import('../commands/ui.ts')).uiCommand,
  },
  {
    name: 'usage',
    aliases: ['du'],
    summary: 'Show how much space folders take',
    group: 'nodes',
    load: async () => (await import('../commands/usage.ts')).usageCommand,
  },
  {
    name: 'validate',
    aliases: [],
    summary: 'Validate a machine configuration in a file',
    group: 'offline',
    load: async () => (await import('../commands/validate.ts')).validateCommand,
  },
  {
    name: 'version',
    aliases: [],
    summary: 'Print the version of the client and of nodes',
    group: 'nodes',
    load: async () => (await import('../commands/version.ts')).versionCommand,
  },
  {
    name: 'wipe',
    aliases: [],
    summary: 'Wipe disks and partitions',
    group: 'nodes',
    load: async () => (await import('../commands/wipe.ts')).wipeCommand,
  },
];

/** The command with this name or alias. */
export function findCommand(name: string): CommandEntry | undefined {
  return commandTable.find((entry) => entry.name === name || entry.aliases.includes(name));
}
