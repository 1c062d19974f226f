/** Starts of the full names of the methods that apid spreads over the targets of `nodes`. Source: Talos v1.14: proxying. */
export const oneToManyPrefixes: readonly string[] = [
  '/machine.MachineService/',
  '/cluster.ClusterService/',
  '/inspect.InspectService/',
  '/storage.StorageService/',
  '/time.TimeService/',
];

/** Tells whether apid takes `nodes` metadata for this method. */
export function isOneToManyMethod(fullMethod: string): boolean {
  return oneToManyPrefixes.some((prefix) => fullMethod.startsWith(prefix));
}

// A fact of the wire as it stands: some of these methods are gone, and the lifecycle ones never take `nodes`.
const streamingMethods: ReadonlySet<string> = new Set([
  '/machine.MachineService/Copy',
  '/machine.MachineService/DebugContainer',
  '/machine.MachineService/DiskUsage',
  '/machine.MachineService/Dmesg',
  '/machine.MachineService/EtcdSnapshot',
  '/machine.MachineService/Events',
  '/machine.MachineService/ImageList',
  '/machine.MachineService/Kubeconfig',
  '/machine.MachineService/List',
  '/machine.MachineService/Logs',
  '/machine.MachineService/PacketCapture',
  '/machine.MachineService/Read',
  '/machine.LifecycleService/Install',
  '/machine.LifecycleService/Upgrade',
  '/os.OSService/Dmesg',
  '/cluster.ClusterService/HealthCheck',
]);

/**
 * Tells whether apid aggregates an answer to a `nodes` call message by message (true) or as one message that holds all
 * answers (false). It goes by name alone, as apid also meets methods it has never heard of: a name that ends in
 * `Stream` streams. Client streams (`EtcdRecover`) count as unary. Source: Talos v1.14: proxying of streams.
 */
export function isStreamingMethod(fullMethod: string): boolean {
  return streamingMethods.has(fullMethod) || fullMethod.endsWith('Stream');
}
