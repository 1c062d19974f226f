import { globSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};

/** Values that change by themselves. */
const moving = /random|ns_last_pid|nr$|-nr|-state|usage|_used|dirty|tainted/;
/** Network devices and mounts that a container engine may add or remove meanwhile. */
const ofContainers = /veth|docker|br-|containerd|overlay|netns/;

/** The settings of this host that a node with a machine of its own would change, to be compared. */
export function hostState() {
  const sysctls = globSync('/proc/sys/{kernel,net/ipv4,net/ipv6,vm,fs}/{conf/*/,,}*')
    .filter((path) => !moving.test(path) && !ofContainers.test(path))
    .map((path) => [path, read(path)]);
  const lines = (path: string) =>
    read(path)
      .split('\n')
      .filter((line) => !ofContainers.test(line));
  const files = ['hosts', 'hostname', 'resolv.conf', 'machine-id', 'localtime'];
  return {
    hostname: read('/proc/sys/kernel/hostname'),
    domainname: read('/proc/sys/kernel/domainname'),
    addresses: Object.entries(networkInterfaces()).filter(([name]) => !ofContainers.test(name)),
    routes: lines('/proc/net/route'),
    mounts: lines('/proc/self/mounts'),
    modules: lines('/proc/modules').map((line) => line.split(' ')[0]),
    etc: [readdirSync('/etc'), ...files.map((name) => read(`/etc/${name}`))],
    sysctls,
  };
}
