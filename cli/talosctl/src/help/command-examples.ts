/** A command line to copy, and its purpose. */
export interface Example {
  readonly text: string;
  readonly command: string;
}

/** Examples by command. A test checks that every command has one, and that each can be parsed. */
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
      text: 'restore a lost cluster from a snapshot',
      command: 'talosctl -n node01 bootstrap --recover-from etcd.snapshot',
    },
  ],
  cluster: [
    {
      text: 'create a cluster of three control planes and one worker on this machine',
      command: 'talosctl cluster create --name lab --controlplanes 3',
    },
    { text: 'show the state of the nodes', command: 'talosctl cluster show --name lab' },
  ],
  'cluster create': [
    {
      text: 'create three control planes and one worker, without a container engine',
      command: 'talosctl cluster create --name lab --controlplanes 3 --provisioner process',
    },
    {
      text: 'create a cluster and patch every machine configuration',
      command: 'talosctl cluster create --name lab --config-patch @patch.yaml',
    },
  ],
  'cluster show': [
    { text: 'show the nodes of a cluster and their states', command: 'talosctl cluster show --name lab' },
  ],
  'cluster list': [
    { text: 'list the clusters of this machine as JSON', command: 'talosctl cluster list -o json' },
  ],
  'cluster join': [
    {
      text: 'give a node that was reset its configuration again',
      command: 'talosctl cluster join --name lab node04',
    },
  ],
  'cluster start': [
    { text: 'start the stopped nodes of a cluster', command: 'talosctl cluster start --name lab' },
    { text: 'start one node', command: 'talosctl cluster start --name lab node02' },
  ],
  'cluster stop': [
    {
      text: 'stop one node at once, as a power cut would',
      command: 'talosctl cluster stop --name lab node02',
    },
  ],
  'cluster destroy': [
    { text: 'stop a cluster and remove its files', command: 'talosctl cluster destroy --name lab' },
  ],
  'cluster logs': [
    {
      text: 'follow the log of one machine',
      command: 'talosctl cluster logs --name lab node01 -f',
    },
  ],
  completion: [
    { text: 'complete commands in this shell', command: 'source <(talosctl completion bash)' },
    {
      text: 'complete commands in every new fish shell',
      command: 'talosctl completion fish > ~/.config/fish/completions/talosctl.fish',
    },
  ],
  config: [
    { text: 'show the current context and when its certificate expires', command: 'talosctl config info' },
    { text: 'add the contexts of another file', command: 'talosctl config merge ./talosconfig' },
  ],
  'config add': [
    {
      text: 'add a context from PEM files',
      command: 'talosctl config add lab --ca ca.crt --crt admin.crt --key admin.key',
    },
  ],
  'config context': [{ text: 'switch to another context', command: 'talosctl config context lab' }],
  'config contexts': [{ text: 'list the contexts', command: 'talosctl config contexts' }],
  'config endpoint': [
    { text: 'connect through these control planes', command: 'talosctl config endpoint 10.0.0.1 10.0.0.2' },
  ],
  'config info': [
    {
      text: 'show the current context, its roles and when its certificate expires',
      command: 'talosctl config info',
    },
  ],
  'config merge': [
    { text: 'add the contexts of another file', command: 'talosctl config merge ./talosconfig' },
  ],
  'config new': [
    {
      text: 'create a talosconfig with read access for one day',
      command: 'talosctl -n node01 config new reader.yaml --roles os:reader --crt-ttl 24h',
    },
  ],
  'config node': [
    { text: 'use these nodes in commands without --nodes', command: 'talosctl config node node01 node02' },
    { text: 'clear the nodes', command: 'talosctl config node' },
  ],
  'config proxy-url': [
    {
      text: 'reach the endpoints through a proxy',
      command: 'talosctl config proxy-url socks5://10.0.0.9:1080',
    },
  ],
  'config remove': [
    { text: 'print which contexts would be removed', command: 'talosctl config remove "lab*" --dry-run' },
  ],
  cgroups: [
    { text: 'show the memory of every control group', command: 'talosctl -n node01 cgroups --preset memory' },
    {
      text: 'print JSON, without the names of pods and containers',
      command: 'talosctl -n node01 cgroups --preset cpu --skip-cri-resolve -o json',
    },
  ],
  containers: [
    { text: 'list the containers of the system', command: 'talosctl -n node01 containers' },
    { text: 'list the containers of Kubernetes', command: 'talosctl -n node01 containers -k' },
  ],
  copy: [
    {
      text: 'copy a folder of a node to a local folder',
      command: 'talosctl -n node01 copy /etc ./node01-etc',
    },
    { text: 'save a folder of a node as an archive', command: 'talosctl -n node01 copy /etc - > etc.tar.gz' },
  ],
  dashboard: [
    { text: 'watch two nodes', command: 'talosctl -n node01,node02 dashboard' },
    { text: 'print one update for a script', command: 'talosctl -n node01 dashboard -o json --once' },
  ],
  diskfree: [
    { text: 'show the space of every volume', command: 'talosctl -n node01 diskfree' },
    { text: 'show the inodes of one volume', command: 'talosctl -n node01 diskfree EPHEMERAL --inodes' },
  ],
  dmesg: [{ text: 'follow new kernel messages', command: 'talosctl -n node01 dmesg --follow --tail' }],
  edit: [
    { text: 'edit the configuration of a node', command: 'talosctl -n node01 edit machineconfig' },
    { text: 'see the difference without changing the node', command: 'talosctl -n node01 edit mc --dry-run' },
  ],
  etcd: [
    { text: 'list the members', command: 'talosctl -n node01 etcd members' },
    { text: 'show the state of each member', command: 'talosctl -n node01,node02,node03 etcd status' },
    { text: 'save the database', command: 'talosctl -n node01 etcd snapshot etcd.snapshot' },
  ],
  'etcd alarm': [{ text: 'list the active alarms', command: 'talosctl -n node01 etcd alarm list' }],
  'etcd alarm list': [{ text: 'list the active alarms', command: 'talosctl -n node01 etcd alarm list' }],
  'etcd alarm disarm': [
    { text: 'clear the alarms after space was freed', command: 'talosctl -n node01 etcd alarm disarm' },
  ],
  'etcd defrag': [
    { text: 'free unused space of one member', command: 'talosctl -n node01 etcd defrag' },
    {
      text: 'free it of all members, one after the other',
      command: 'talosctl -n node01,node02,node03 etcd defrag --one-at-a-time',
    },
  ],
  'etcd downgrade': [
    {
      text: 'check whether etcd can be downgraded to 3.6',
      command: 'talosctl -n node01 etcd downgrade validate 3.6',
    },
  ],
  'etcd downgrade validate': [
    {
      text: 'check whether etcd can be downgraded to 3.6',
      command: 'talosctl -n node01 etcd downgrade validate 3.6',
    },
  ],
  'etcd downgrade enable': [
    { text: 'allow members of version 3.6', command: 'talosctl -n node01 etcd downgrade enable 3.6' },
  ],
  'etcd downgrade cancel': [
    { text: 'cancel the downgrade', command: 'talosctl -n node01 etcd downgrade cancel' },
  ],
  'etcd forfeit-leadership': [
    {
      text: 'make another member the leader before maintenance',
      command: 'talosctl -n node01 etcd forfeit-leadership',
    },
  ],
  'etcd leave': [{ text: 'remove a node from etcd', command: 'talosctl -n node03 etcd leave' }],
  'etcd members': [{ text: 'list the members with their ids', command: 'talosctl -n node01 etcd members' }],
  'etcd remove-member': [
    {
      text: 'remove a member whose node is lost',
      command: 'talosctl -n node01 etcd remove-member 8e9e05c52164694d',
    },
  ],
  'etcd snapshot': [{ text: 'save the database', command: 'talosctl -n node01 etcd snapshot etcd.snapshot' }],
  'etcd status': [
    {
      text: 'show the leader and the size of each database',
      command: 'talosctl -n node01,node02,node03 etcd status',
    },
  ],
  events: [
    {
      text: 'print events of the last ten minutes, then new ones',
      command: 'talosctl -n node01 events --duration 10m',
    },
    {
      text: 'print events as JSON, one object per line',
      command: 'talosctl -n node01 events --tail -1 -o json',
    },
  ],
  gen: [
    { text: 'the configurations of a new cluster', command: 'talosctl gen config lab https://10.0.0.1:6443' },
  ],
  'gen ca': [
    {
      text: 'generate a certificate authority in lab.crt and lab.key',
      command: 'talosctl gen ca --organization lab',
    },
  ],
  'gen config': [
    { text: 'the configurations of a new cluster', command: 'talosctl gen config lab https://10.0.0.1:6443' },
    {
      text: 'generate configurations with existing secrets',
      command: 'talosctl gen config lab https://10.0.0.1:6443 --with-secrets secrets.yaml -o lab',
    },
  ],
  'gen crt': [
    {
      text: 'sign a certificate request',
      command: 'talosctl gen crt --ca lab --csr admin.csr --name admin --hours 24',
    },
  ],
  'gen csr': [
    {
      text: 'generate a certificate request with read access',
      command: 'talosctl gen csr --key admin.key --ip 127.0.0.1 --roles os:reader',
    },
  ],
  'gen key': [{ text: 'generate a private key in admin.key', command: 'talosctl gen key --name admin' }],
  'gen keypair': [
    {
      text: 'generate a key and a self-signed certificate',
      command: 'talosctl gen keypair --organization lab',
    },
  ],
  'gen secrets': [
    { text: 'generate the secrets of a new cluster', command: 'talosctl gen secrets -o secrets.yaml' },
    {
      text: 'copy the secrets of an existing cluster',
      command: 'talosctl gen secrets --from-controlplane-config controlplane.yaml',
    },
  ],
  'gen secureboot': [
    { text: 'generate the key that signs boot images', command: 'talosctl gen secureboot uki' },
  ],
  extensions: [{ text: 'list the extensions of a node', command: 'talosctl -n node01 extensions list' }],
  'extensions install': [
    {
      text: 'install a set of extensions that was built with make extension-set',
      command: 'talosctl -n node01 extensions install tools.set',
    },
  ],
  'extensions list': [
    { text: 'list the extensions of two nodes', command: 'talosctl -n node01,node02 extensions list' },
  ],
  'extensions remove': [
    {
      text: 'remove the set of extensions at the next start',
      command: 'talosctl -n node01 extensions remove',
    },
  ],
  'extensions sets': [
    {
      text: 'show the set that a machine runs, and what its next start tries',
      command: 'talosctl -n node01 extensions sets',
    },
  ],
  'extensions status': [
    { text: 'show the services of extensions', command: 'talosctl -n node01 extensions status' },
  ],
  get: [
    { text: 'list the members of the cluster', command: 'talosctl -n node01 get members' },
    { text: 'list the resource types', command: 'talosctl -n node01 get rd' },
    { text: 'watch the addresses of a node', command: 'talosctl -n node01 get addresses --watch' },
    { text: 'show why an address is not there', command: 'talosctl -n node01 get addresses --explain' },
    {
      text: 'print one field of one resource',
      command: "talosctl -n node01 get hostname hostname -o jsonpath='{.spec.hostname}'",
    },
  ],
  health: [
    {
      text: 'check the cluster, and wait for at most two minutes',
      command: 'talosctl -n node01 health --wait-timeout 2m',
    },
  ],
  image: [{ text: 'list the images of Kubernetes', command: 'talosctl -n node01 image list' }],
  'image cache-create': [
    {
      text: 'download two images into a folder for a node without a registry',
      command:
        'talosctl image cache-create --image-cache-path cache --images registry.k8s.io/pause:3.10,ghcr.io/siderolabs/kubelet:v1.37.1',
    },
  ],
  'image cache-serve': [
    {
      text: 'serve the images of a folder to the nodes of this machine',
      command: 'talosctl image cache-serve --image-cache-path cache',
    },
  ],
  'image import': [
    { text: 'import an image from a local archive', command: 'talosctl -n node01 image import pause.tar' },
  ],
  'image list': [
    { text: 'list the images of the system', command: 'talosctl -n node01 image list --namespace system' },
  ],
  'image pull': [
    {
      text: 'let a node pull an image',
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
  kubeconfig: [
    { text: 'add the cluster to the kubeconfig of kubectl', command: 'talosctl -n node01 kubeconfig' },
    {
      text: 'write a kubeconfig of its own',
      command: 'talosctl -n node01 kubeconfig ./lab.kubeconfig --merge=false',
    },
  ],
  list: [
    { text: 'list a folder with sizes', command: 'talosctl -n node01 list -l -H /var/log' },
    { text: 'list two levels of folders', command: 'talosctl -n node01 list -d 2 -t d /etc' },
  ],
  logs: [
    { text: 'print the last 20 lines, then new ones', command: 'talosctl -n node01 logs apid --tail 20 -f' },
  ],
  machineconfig: [
    {
      text: 'change a configuration in a file',
      command: 'talosctl machineconfig patch worker.yaml -p @patch.yaml -o worker.yaml',
    },
  ],
  'machineconfig convert': [
    {
      text: 'convert the files of a cluster to documents, into a folder',
      command: 'talosctl machineconfig convert controlplane.yaml worker.yaml --to 1.14 -o converted/',
    },
    {
      text: 'convert a patch',
      command: 'talosctl machineconfig convert --patch patch.yaml --to 1.14 -o patch-1.14.yaml',
    },
    {
      text: 'convert the configuration of a running node',
      command: 'talosctl machineconfig convert -n node01 --to 1.14',
    },
    {
      text: 'compare what a node would make of the file before and after',
      command: 'talosctl machineconfig convert controlplane.yaml --to 1.14 --prove',
    },
    {
      text: 'also give it to three control planes of processes that run the old one',
      command: 'talosctl machineconfig convert controlplane.yaml --to 1.14 --prove=run',
    },
  ],
  'machineconfig diff': [
    {
      text: 'show what a change of a file would do to a node',
      command: 'talosctl machineconfig diff controlplane.yaml changed.yaml',
    },
    {
      text: 'check in CI that nodes have what a folder has for them',
      command: 'talosctl machineconfig diff nodes/ -n node01,node02 -o json',
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
  memory: [{ text: 'show the memory of two nodes', command: 'talosctl -n node01,node02 memory' }],
  meta: [{ text: 'write a value of your own', command: 'talosctl -n node01 meta write 0x0c rack-7' }],
  'meta write': [{ text: 'write a value of your own', command: 'talosctl -n node01 meta write 0x0c rack-7' }],
  'meta delete': [{ text: 'delete a value', command: 'talosctl -n node01 meta delete 0x0c' }],
  mounts: [{ text: 'list the mounted file systems', command: 'talosctl -n node01 mounts' }],
  netstat: [
    {
      text: 'list listening TCP ports with their processes',
      command: 'talosctl -n node01 netstat --listening --tcp --programs',
    },
  ],
  patch: [
    {
      text: 'print what a patch would change',
      command: 'talosctl -n node01 patch machineconfig -p @patch.yaml --dry-run',
    },
    {
      text: 'change one value',
      command: `talosctl -n node01 patch mc -p '{"machine": {"sysctls": {"vm.swappiness": "10"}}}'`,
    },
  ],
  pcap: [
    { text: 'print the packets of ten seconds', command: 'talosctl -n node01 pcap -i eth0 --duration 10s' },
    { text: 'capture to a pcap file', command: 'talosctl -n node01 pcap -i eth0 -o eth0.pcap' },
  ],
  processes: [{ text: 'list the processes by CPU time', command: 'talosctl -n node01 processes --sort cpu' }],
  read: [{ text: 'print a file of a node', command: 'talosctl -n node01 read /etc/os-release' }],
  reboot: [
    { text: 'reboot a node and wait until it is back', command: 'talosctl -n node02 reboot' },
    { text: 'move the pods of a node elsewhere first', command: 'talosctl -n node04 reboot --drain' },
    { text: 'reboot a node without waiting for it', command: 'talosctl -n node02 reboot --no-wait' },
    {
      text: 'see first whether etcd would keep its quorum',
      command: 'talosctl -n node01,node02 reboot --dry-run',
    },
  ],
  registry: [
    { text: 'show the image cache of two nodes', command: 'talosctl -n node01,node02 registry status' },
  ],
  'registry collect': [
    { text: 'free space in the image cache', command: 'talosctl -n node01 registry collect' },
  ],
  'registry images': [
    { text: 'list the images of the image cache', command: 'talosctl -n node01 registry images' },
  ],
  'registry pull': [
    {
      text: 'download an image before it is needed',
      command: 'talosctl -n node01 registry pull registry.k8s.io/pause:3.10',
    },
  ],
  'registry remove': [
    {
      text: 'remove an image from the image cache',
      command: 'talosctl -n node01 registry remove registry.k8s.io/pause:3.10',
    },
  ],
  'registry status': [
    { text: 'show what the image cache holds and downloads', command: 'talosctl -n node01 registry status' },
  ],
  'registry transfers': [
    { text: 'watch the downloads of a node', command: 'talosctl -n node01 registry transfers --follow' },
  ],
  'registry upstreams': [
    { text: 'show which registries fail, and why', command: 'talosctl -n node01 registry upstreams' },
  ],
  replay: [{ text: 'look at nodes that are gone', command: 'talosctl replay support-lab.zip' }],
  reset: [
    {
      text: 'wipe a worker and reboot it into maintenance mode',
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
  rollback: [
    {
      text: 'restart a machine with the system before its last upgrade',
      command: 'talosctl -n node01 rollback',
    },
  ],
  service: [
    { text: 'list the services', command: 'talosctl -n node01 service' },
    { text: 'show one service in detail', command: 'talosctl -n node01 service apid' },
    { text: 'restart one service', command: 'talosctl -n node01 service etcd restart' },
  ],
  shutdown: [{ text: 'shut a worker down', command: 'talosctl -n node04 shutdown' }],
  stats: [{ text: 'show the memory and CPU time of containers', command: 'talosctl -n node01 stats' }],
  support: [
    {
      text: 'collect logs and state of two nodes in one file',
      command: 'talosctl -n node01,node02 support -O support.zip',
    },
  ],
  time: [
    { text: 'compare the clock of a node with its time server', command: 'talosctl -n node01 time' },
    {
      text: 'compare the clock with another time server',
      command: 'talosctl -n node01 time --check pool.ntp.org',
    },
  ],
  ui: [
    { text: 'look at a cluster in your browser', command: 'talosctl ui' },
    {
      text: 'also edit configurations, reboot nodes and restart services',
      command: 'talosctl ui --allow-actions',
    },
    {
      text: 'on a machine without a browser, with a port to forward by SSH',
      command: 'talosctl ui --no-browser --port 8600',
    },
  ],
  upgrade: [
    {
      text: 'upgrade a machine: it goes back by itself when it does not become ready',
      command: 'talosctl -n node01 upgrade --image registry.example/installer:v1.14.1',
    },
    {
      text: 'see first what an upgrade would do',
      command: 'talosctl -n node01 upgrade --image registry.example/installer:v1.14.1 --dry-run',
    },
    {
      text: 'write the new system now and restart later',
      command: 'talosctl -n node01 upgrade --image registry.example/installer:v1.14.1 --no-reboot',
    },
    {
      text: 'upgrade a machine that has a set of system extensions',
      command:
        'talosctl -n node01 upgrade --image registry.example/installer:v1.14.1 --extension-set tools.set',
    },
    {
      text: 'upgrade all nodes of a cluster, one after the other, and look first what would refuse it',
      command: 'talosctl upgrade --all --image registry.example/installer:v1.14.1 --dry-run',
    },
    {
      text: 'pause after the first node, and go on later',
      command: 'talosctl upgrade --all --image registry.example/installer:v1.14.1 --pause-after 1',
    },
    { text: 'follow the upgrade of all nodes from anywhere', command: 'talosctl upgrade status --watch' },
  ],
  usage: [{ text: 'show the largest folders', command: 'talosctl -n node01 usage -H -d 2 /var' }],
  validate: [
    {
      text: 'check the configuration of a machine',
      command: 'talosctl validate -c worker.yaml -m metal --strict',
    },
  ],
  version: [
    { text: 'print the version of this program', command: 'talosctl version --client' },
    {
      text: 'print the versions of this program and two nodes',
      command: 'talosctl -n node01,node02 version',
    },
  ],
  wipe: [{ text: 'make two disks look empty', command: 'talosctl -n node01 wipe disk vdb vdc' }],
  'wipe disk': [
    { text: 'make a disk look empty', command: 'talosctl -n node01 wipe disk vdb' },
    {
      text: 'overwrite a partition with zeros and delete it',
      command: 'talosctl -n node01 wipe disk vdb1 --method ZEROES --drop-partition',
    },
  ],
};

/** The examples of a command, such as `config new`. */
export function examplesOf(path: string): readonly Example[] {
  return commandExamples[path] ?? [];
}
