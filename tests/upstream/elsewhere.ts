const clusters = 'creates clusters from images of upstream on this machine';
const signing = 'generates signing keys for images of upstream, without a node';
const caches = 'needs a registry, but no node';

/**
 * Commands of the released client that call no node, or that a test cannot run, with the reason why no check
 * runs them.
 */
export const elsewhere: Readonly<Record<string, string>> = {
  'cluster create dev': clusters,
  'cluster create docker': clusters,
  'cluster create qemu': clusters,
  'cluster destroy': clusters,
  'cluster show': clusters,
  'gen secureboot database': signing,
  'gen secureboot pcr': signing,
  'gen secureboot uki': signing,
  'image cache-cert-gen': caches,
  'image cache-create': caches,
  'image cache-serve': caches,
  'image talos-bundle': 'queries a registry of upstream',
  'inject serviceaccount': 'changes Kubernetes manifests, without a node',
  help: 'prints the help of another command',
};
