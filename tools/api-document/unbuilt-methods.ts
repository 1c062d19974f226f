const fileSystems = 'needs volumes, which a node does not have yet: `talosctl diskfree` says so';
const containers = 'needs terminals in containers of the node, which are not built yet';
const image = 'needs the node image: a node of processes or containers has no disk of its own';

/**
 * Why a method that the contract has is not implemented, by full name. docs/api.md prints it and the conformance suite
 * excuses these methods alone; a test keeps the table true.
 */
export const unbuiltMethods: Readonly<Record<string, string>> = {
  ...reasonFor('needs Kubernetes on the cluster, which is not built yet', '/machine.MachineService/', [
    'Kubeconfig',
  ]),
  ...reasonFor(containers, '/machine.DebugService/', ['ContainerRun']),
  ...reasonFor(image, '/machine.MachineService/', ['Rollback', 'Upgrade']),
  ...reasonFor(image, '/machine.LifecycleService/', ['Install', 'Upgrade']),
  ...reasonFor(image, '/storage.StorageService/', ['BlockDeviceWipe']),
  ...reasonFor(image, '/machine.LVMService/', [
    'LogicalVolumeRemove',
    'VolumeGroupRemove',
    'PhysicalVolumeRemove',
  ]),
  ...reasonFor(image, '/machine.MDService/', ['Destroy']),
  ...reasonFor(fileSystems, '/machine.StorageService/', ['Statfs']),
};

function reasonFor(reason: string, prefix: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, reason]));
}
