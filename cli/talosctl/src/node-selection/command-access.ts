/**
 * What a command does to nodes. It decides where the nodes of the command may come from:
 * - `local`: it talks to no node.
 * - `reads`: `--nodes`, else the nodes of the context, else the first endpoint.
 * - `watches`: `--nodes`, else the nodes of the context, else all members of the cluster.
 * - `changes`: `--nodes`, else the nodes of the context. Never an endpoint that the user did not name as a
 * node.
 * - `destroys`: `--nodes` only.
 * - `cluster`: it asks a control plane, which acts on the whole cluster: `--nodes`, else the nodes of the context, else the endpoints.
 */
export type CommandAccess = 'local' | 'reads' | 'watches' | 'changes' | 'destroys' | 'cluster';

/**
 * The access of every command and subcommand. A key may continue with arguments if they decide; `*` stands
 * for any one argument. A test compares the keys with the commands that exist.
 */
export const commandAccess: Readonly<Record<string, CommandAccess>> = {
  'apply-config': 'changes',
  bootstrap: 'changes',
  'cluster create': 'local',
  'cluster destroy': 'local',
  'cluster join': 'local',
  'cluster list': 'local',
  'cluster logs': 'local',
  'cluster show': 'local',
  'cluster start': 'local',
  'cluster stop': 'local',
  completion: 'local',
  'config add': 'local',
  'config context': 'local',
  'config contexts': 'local',
  'config endpoint': 'local',
  'config info': 'local',
  'config merge': 'local',
  'config new': 'reads',
  'config node': 'local',
  'config proxy-url': 'local',
  'config remove': 'local',
  cgroups: 'reads',
  containers: 'reads',
  copy: 'reads',
  dashboard: 'watches',
  diskfree: 'reads',
  dmesg: 'reads',
  edit: 'changes',
  'etcd alarm disarm': 'changes',
  'etcd alarm list': 'reads',
  'etcd defrag': 'changes',
  'etcd downgrade cancel': 'changes',
  'etcd downgrade enable': 'changes',
  'etcd downgrade validate': 'reads',
  'etcd forfeit-leadership': 'destroys',
  'etcd leave': 'changes',
  'etcd members': 'reads',
  'etcd remove-member': 'destroys',
  'etcd snapshot': 'reads',
  'etcd status': 'reads',
  events: 'reads',
  'extensions install': 'changes',
  'extensions list': 'reads',
  'extensions remove': 'changes',
  'extensions sets': 'reads',
  'extensions status': 'reads',
  'gen ca': 'local',
  'gen config': 'local',
  'gen crt': 'local',
  'gen csr': 'local',
  'gen key': 'local',
  'gen keypair': 'local',
  'gen secrets': 'local',
  'gen secureboot': 'local',
  get: 'reads',
  health: 'reads',
  'image cache-create': 'local',
  'image cache-serve': 'local',
  'image import': 'changes',
  'image list': 'reads',
  'image pull': 'changes',
  'image remove': 'changes',
  'inspect dependencies': 'reads',
  kubeconfig: 'reads',
  list: 'reads',
  logs: 'reads',
  'machineconfig convert': 'reads',
  'machineconfig diff': 'reads',
  'machineconfig gen': 'local',
  'machineconfig patch': 'local',
  memory: 'reads',
  'meta delete': 'changes',
  'meta write': 'changes',
  mounts: 'reads',
  netstat: 'reads',
  patch: 'changes',
  pcap: 'reads',
  processes: 'reads',
  read: 'reads',
  reboot: 'changes',
  'registry collect': 'changes',
  'registry images': 'reads',
  'registry pull': 'changes',
  'registry remove': 'changes',
  'registry status': 'reads',
  'registry transfers': 'reads',
  'registry upstreams': 'reads',
  replay: 'local',
  reset: 'destroys',
  restart: 'changes',
  rollback: 'changes',
  service: 'reads',
  'service * restart': 'changes',
  'service * start': 'changes',
  'service * stop': 'changes',
  shutdown: 'changes',
  stats: 'reads',
  support: 'reads',
  time: 'reads',
  ui: 'watches',
  upgrade: 'changes',
  // Tasks of a roll-out.
  'upgrade *': 'cluster',
  usage: 'reads',
  validate: 'local',
  version: 'reads',
  'wipe disk': 'destroys',
};

/**
 * The access of a command with these arguments.
 *
 * @param path names of the command and its subcommands, without aliases: `etcd members`
 * @throws Error for a command that the table does not have
 */
export function accessOf(path: string, args: readonly string[] = []): CommandAccess {
  const ofTask = args.length === 0 ? undefined : commandAccess[`${path} *`];
  const found = commandAccess[`${path} * ${args[1] ?? ''}`] ?? ofTask ?? commandAccess[path];
  if (found === undefined) throw new Error(`the table of accesses has no command "${path}"`);
  return found;
}
