/** A command line that can be copied, and what it is for. */
export interface Example {
  readonly text: string;
  readonly command: string;
}

/** Examples by command. Each parses with the parser of its command, and no command is without one: a test checks. */
export const commandExamples: Readonly<Record<string, readonly Example[]>> = {
  'apply-config': [
    { text: 'show what would change', command: 'talosctl -n node01 apply-config -f node01.yaml --dry-run' },
    {
      text: 'try a configuration for a minute',
      command: 'talosctl -n node01 apply-config -f node01.yaml -m try',
    },
    {
      text: 'configure a node in maintenance mode',
      command: 'talosctl -n 10.0.0.5 apply-config --insecure -f worker.yaml',
    },
  ],
  bootstrap: [
    { text: 'start etcd on the first control plane, once', command: 'talosctl -n node01 bootstrap' },
    {
      text: 'bring a lost cluster back from a snapshot',
      command: 'talosctl -n node01 bootstrap --recover-from etcd.snapshot',
    },
  ],
  cluster: [
    {
      text: 'a cluster of three control planes and one worker on this machine',
      command: 'talosctl cluster create --name lab --controlplanes 3',
    },
    { text: 'what runs', command: 'talosctl cluster show --name lab' },
  ],
  'cluster create': [
    {
      text: 'three control planes and one worker, without a container engine',
      command: 'talosctl cluster create --name lab --controlplanes 3 --provisioner process',
    },
    {
      text: 'with a patch of every machine configuration',
      command: 'talosctl cluster create --name lab --config-patch @patch.yaml',
    },
  ],
  'cluster show': [
    { text: 'the nodes of a cluster and their states', command: 'talosctl cluster show --name lab' },
  ],
  'cluster list': [
    { text: 'the clusters of this machine as JSON', command: 'talosctl cluster list -o json' },
  ],
  'cluster start': [
    { text: 'start what is off of a cluster', command: 'talosctl cluster start --name lab' },
    { text: 'start one node again', command: 'talosctl cluster start --name lab node02' },
  ],
  'cluster stop': [
    { text: 'stop one node, as a power cut would', command: 'talosctl cluster stop --name lab node02' },
  ],
  'cluster destroy': [
    { text: 'end a cluster and remove its files', command: 'talosctl cluster destroy --name lab' },
  ],
  'cluster logs': [
    {
      text: 'what one machine prints, as it prints it',
      command: 'talosctl cluster logs --name lab node01 -f',
    },
  ],
  completion: [
    { text: 'for this shell', command: 'source <(talosctl completion bash)' },
    {
      text: 'for every fish shell to come',
      command: 'talosctl completion fish > ~/.config/fish/completions/talosctl.fish',
    },
  ],
  config: [
    { text: 'which context is in use, and until when', command: 'talosctl config info' },
    { text: 'add the contexts of another file', command: 'talosctl config merge ./talosconfig' },
  ],
  'config add': [
    {
      text: 'a context from PEM files',
      command: 'talosctl config add lab --ca ca.crt --crt admin.crt --key admin.key',
    },
  ],
  'config context': [{ text: 'use another context from now on', command: 'talosctl config context lab' }],
  'config contexts': [{ text: 'list the contexts', command: 'talosctl config contexts' }],
  'config endpoint': [
    { text: 'connect through these control planes', command: 'talosctl config endpoint 10.0.0.1 10.0.0.2' },
  ],
  'config info': [
    {
      text: 'the current context, its roles and the end of its certificate',
      command: 'talosctl config info',
    },
  ],
  'config merge': [
    { text: 'add the contexts of another file', command: 'talosctl config merge ./talosconfig' },
  ],
  'config new': [
    {
      text: 'a talosconfig for a colleague who only reads, for a day',
      command: 'talosctl -n node01 config new reader.yaml --roles os:reader --crt-ttl 24h',
    },
  ],
  'config node': [
    { text: 'talk to these nodes where --nodes is not given', command: 'talosctl config node node01 node02' },
    { text: 'forget them', command: 'talosctl config node' },
  ],
  'config proxy-url': [
    {
      text: 'reach the endpoints through a proxy',
      command: 'talosctl config proxy-url socks5://10.0.0.9:1080',
    },
  ],
  'config remove': [
    { text: 'see which contexts would go', command: 'talosctl config remove "lab*" --dry-run' },
  ],
  cgroups: [
    { text: 'the memory of every control group', command: 'talosctl -n node01 cgroups --preset memory' },
    {
      text: 'as JSON, without asking for names',
      command: 'talosctl -n node01 cgroups --preset cpu --skip-cri-resolve -o json',
    },
  ],
  containers: [
    { text: 'the containers of the system', command: 'talosctl -n node01 containers' },
    { text: 'those of Kubernetes', command: 'talosctl -n node01 containers -k' },
  ],
  copy: [
    { text: 'a folder of a node into a folder here', command: 'talosctl -n node01 copy /etc ./node01-etc' },
    { text: 'the archive itself', command: 'talosctl -n node01 copy /etc - > etc.tar.gz' },
  ],
  dashboard: [
    { text: 'watch two nodes', command: 'talosctl -n node01,node02 dashboard' },
    { text: 'one look, for a script', command: 'talosctl -n node01 dashboard -o json --once' },
  ],
  diskfree: [
    { text: 'the space of every volume', command: 'talosctl -n node01 diskfree' },
    { text: 'the inodes of one', command: 'talosctl -n node01 diskfree EPHEMERAL --inodes' },
  ],
  dmesg: [{ text: 'follow the messages of the kernel', command: 'talosctl -n node01 dmesg --follow --tail' }],
  edit: [
    { text: 'edit the configuration of a node', command: 'talosctl -n node01 edit machineconfig' },
    { text: 'see the difference, and change nothing', command: 'talosctl -n node01 edit mc --dry-run' },
  ],
  etcd: [
    { text: 'the members', command: 'talosctl -n node01 etcd members' },
    { text: 'how each member does', command: 'talosctl -n node01,node02,node03 etcd status' },
    { text: 'save the database', command: 'talosctl -n node01 etcd snapshot etcd.snapshot' },
  ],
  'etcd alarm': [{ text: 'the alarms that are raised', command: 'talosctl -n node01 etcd alarm list' }],
  'etcd alarm list': [{ text: 'the alarms that are raised', command: 'talosctl -n node01 etcd alarm list' }],
  'etcd alarm disarm': [
    { text: 'clear the alarms once there is space', command: 'talosctl -n node01 etcd alarm disarm' },
  ],
  'etcd defrag': [
    { text: 'give free space back, one member at a time', command: 'talosctl -n node01 etcd defrag' },
  ],
  'etcd downgrade': [
    { text: 'ask whether etcd can go down', command: 'talosctl -n node01 etcd downgrade validate 3.5' },
  ],
  'etcd downgrade validate': [
    { text: 'ask whether etcd can go down', command: 'talosctl -n node01 etcd downgrade validate 3.5' },
  ],
  'etcd downgrade enable': [
    { text: 'go down to 3.5', command: 'talosctl -n node01 etcd downgrade enable 3.5' },
  ],
  'etcd downgrade cancel': [
    { text: 'stay with the version there is', command: 'talosctl -n node01 etcd downgrade cancel' },
  ],
  'etcd forfeit-leadership': [
    {
      text: 'let another member lead before maintenance',
      command: 'talosctl -n node01 etcd forfeit-leadership',
    },
  ],
  'etcd leave': [{ text: 'take a member out', command: 'talosctl -n node03 etcd leave' }],
  'etcd members': [{ text: 'the members, with their ids', command: 'talosctl -n node01 etcd members' }],
  'etcd remove-member': [
    {
      text: 'remove a member whose node is lost',
      command: 'talosctl -n node01 etcd remove-member 8e9e05c52164694d',
    },
  ],
  'etcd snapshot': [{ text: 'save the database', command: 'talosctl -n node01 etcd snapshot etcd.snapshot' }],
  'etcd status': [
    {
      text: 'who leads, and how large the databases are',
      command: 'talosctl -n node01,node02,node03 etcd status',
    },
  ],
  events: [
    {
      text: 'what happened in the last ten minutes, and goes on',
      command: 'talosctl -n node01 events --duration 10m',
    },
    { text: 'as JSON, an object per line', command: 'talosctl -n node01 events --tail -1 -o json' },
  ],
  gen: [
    { text: 'the configurations of a new cluster', command: 'talosctl gen config lab https://10.0.0.1:6443' },
  ],
  'gen ca': [
    {
      text: 'a certificate authority, in lab.crt and lab.key',
      command: 'talosctl gen ca --organization lab',
    },
  ],
  'gen config': [
    { text: 'the configurations of a new cluster', command: 'talosctl gen config lab https://10.0.0.1:6443' },
    {
      text: 'from secrets that are kept',
      command: 'talosctl gen config lab https://10.0.0.1:6443 --with-secrets secrets.yaml -o lab',
    },
  ],
  'gen crt': [
    { text: 'sign a request', command: 'talosctl gen crt --ca lab --csr admin.csr --name admin --hours 24' },
  ],
  'gen csr': [
    {
      text: 'a request for a reader',
      command: 'talosctl gen csr --key admin.key --ip 127.0.0.1 --roles os:reader',
    },
  ],
  'gen key': [{ text: 'a key in admin.key', command: 'talosctl gen key --name admin' }],
  'gen keypair': [
    {
      text: 'a key and a certificate that it signs itself',
      command: 'talosctl gen keypair --organization lab',
    },
  ],
  'gen secrets': [
    { text: 'the secrets of a new cluster', command: 'talosctl gen secrets -o secrets.yaml' },
    {
      text: 'those of a cluster that runs',
      command: 'talosctl gen secrets --from-controlplane-config controlplane.yaml',
    },
  ],
  'gen secureboot': [{ text: 'the key that images are signed with', command: 'talosctl gen secureboot uki' }],
  get: [
    { text: 'the members of the cluster', command: 'talosctl -n node01 get members' },
    { text: 'the kinds of resources that there are', command: 'talosctl -n node01 get rd' },
    { text: 'watch the addresses of a node', command: 'talosctl -n node01 get addresses --watch' },
    {
      text: 'one field of one resource',
      command: "talosctl -n node01 get hostname hostname -o jsonpath='{.spec.hostname}'",
    },
  ],
  health: [
    {
      text: 'check the cluster, for two minutes at most',
      command: 'talosctl -n node01 health --wait-timeout 2m',
    },
  ],
  image: [{ text: 'the images of Kubernetes', command: 'talosctl -n node01 image list' }],
  'image import': [
    { text: 'load an archive of an image', command: 'talosctl -n node01 image import pause.tar' },
  ],
  'image list': [
    { text: 'the images of the system', command: 'talosctl -n node01 image list --namespace system' },
  ],
  'image pull': [
    {
      text: 'have a node pull an image',
      command: 'talosctl -n node01 image pull registry.k8s.io/pause:3.10',
    },
  ],
  'image remove': [
    { text: 'remove an image', command: 'talosctl -n node01 image remove registry.k8s.io/pause:3.10' },
  ],
  inspect: [
    {
      text: 'a picture of the controllers and what they read and write',
      command: 'talosctl -n node01 inspect dependencies -o svg > dependencies.svg',
    },
  ],
  'inspect dependencies': [
    {
      text: 'a picture of the controllers and what they read and write',
      command: 'talosctl -n node01 inspect dependencies -o svg > dependencies.svg',
    },
  ],
  list: [
    { text: 'a folder, with sizes', command: 'talosctl -n node01 list -l -H /var/log' },
    { text: 'the folders two levels deep', command: 'talosctl -n node01 list -d 2 -t d /etc' },
  ],
  logs: [{ text: 'the last lines, and what comes', command: 'talosctl -n node01 logs apid --tail 20 -f' }],
  machineconfig: [
    {
      text: 'change a configuration in a file',
      command: 'talosctl machineconfig patch worker.yaml -p @patch.yaml -o worker.yaml',
    },
  ],
  'machineconfig gen': [
    {
      text: 'the configurations of a new cluster',
      command: 'talosctl machineconfig gen lab https://10.0.0.1:6443',
    },
  ],
  'machineconfig patch': [
    {
      text: 'change a configuration in a file',
      command: 'talosctl machineconfig patch worker.yaml -p @patch.yaml -o worker.yaml',
    },
  ],
  memory: [{ text: 'the memory of two nodes', command: 'talosctl -n node01,node02 memory' }],
  meta: [{ text: 'write a value of your own', command: 'talosctl -n node01 meta write 0x0c rack-7' }],
  'meta write': [{ text: 'write a value of your own', command: 'talosctl -n node01 meta write 0x0c rack-7' }],
  'meta delete': [{ text: 'delete it', command: 'talosctl -n node01 meta delete 0x0c' }],
  mounts: [{ text: 'the mounted file systems', command: 'talosctl -n node01 mounts' }],
  netstat: [
    { text: 'who listens on which port', command: 'talosctl -n node01 netstat --listening --tcp --programs' },
  ],
  patch: [
    {
      text: 'see what a patch changes',
      command: 'talosctl -n node01 patch machineconfig -p @patch.yaml --dry-run',
    },
    {
      text: 'one value',
      command: `talosctl -n node01 patch mc -p '{"machine": {"sysctls": {"vm.swappiness": "10"}}}'`,
    },
  ],
  pcap: [
    { text: 'the packets of ten seconds', command: 'talosctl -n node01 pcap -i eth0 --duration 10s' },
    { text: 'into a file for another program', command: 'talosctl -n node01 pcap -i eth0 -o eth0.pcap' },
  ],
  processes: [{ text: 'what takes the processor', command: 'talosctl -n node01 processes --sort cpu' }],
  read: [{ text: 'a file of a node', command: 'talosctl -n node01 read /etc/os-release' }],
  reboot: [
    { text: 'reboot a node and wait until it is back', command: 'talosctl -n node02 reboot' },
    { text: 'do not wait', command: 'talosctl -n node02 reboot --no-wait' },
  ],
  reset: [
    {
      text: 'wipe a worker and start it again, without a configuration',
      command: 'talosctl -n node04 reset --reboot',
    },
    {
      text: 'wipe one volume only',
      command: 'talosctl -n node04 reset --system-labels-to-wipe EPHEMERAL --reboot',
    },
  ],
  restart: [
    {
      text: 'restart a container of Kubernetes',
      command: 'talosctl -n node01 restart -k kube-system/coredns-0:coredns:1a2b3c4d5e6f',
    },
  ],
  service: [
    { text: 'every service', command: 'talosctl -n node01 service' },
    { text: 'one in detail', command: 'talosctl -n node01 service apid' },
    { text: 'restart one', command: 'talosctl -n node01 service etcd restart' },
  ],
  shutdown: [{ text: 'shut a worker down', command: 'talosctl -n node04 shutdown' }],
  stats: [{ text: 'what the containers take', command: 'talosctl -n node01 stats' }],
  support: [
    {
      text: 'everything about two nodes in one file',
      command: 'talosctl -n node01,node02 support -O support.zip',
    },
  ],
  time: [
    { text: 'whether the clock is right', command: 'talosctl -n node01 time' },
    { text: 'against another server', command: 'talosctl -n node01 time --check pool.ntp.org' },
  ],
  usage: [{ text: 'which folders take the space', command: 'talosctl -n node01 usage -H -d 2 /var' }],
  validate: [
    {
      text: 'check a configuration for a machine',
      command: 'talosctl validate -c worker.yaml -m metal --strict',
    },
  ],
  version: [
    { text: 'of this program', command: 'talosctl version --client' },
    { text: 'of two nodes', command: 'talosctl -n node01,node02 version' },
  ],
};

/** The examples of a command, such as `config new`. */
export function examplesOf(path: string): readonly Example[] {
  return commandExamples[path] ?? [];
}
