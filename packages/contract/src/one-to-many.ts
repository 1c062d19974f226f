/**
 * Prefixes of the full names of the methods that apid can send to several nodes. Source: Talos v1.14:
 * proxying.
 */
export const oneToManyPrefixes: readonly string[] = [
  '/machine.MachineService/',
  '/cluster.ClusterService/',
  '/inspect.InspectService/',
  '/storage.StorageService/',
  '/time.TimeService/',
];

/** Whether apid accepts the metadata `nodes` for this method. */
export function isOneToManyMethod(fullMethod: string): boolean {
  return oneToManyPrefixes.some((prefix) => fullMethod.startsWith(prefix));
}

// The same list as upstream's: some of these methods no longer exist, and those of LifecycleService never
// accept `nodes`.
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
 * Whether apid joins the responses to a call with `nodes` message by message (true), or into one message with
 * all responses (false). Only the name decides, because apid also forwards unknown methods: a name that ends
 * in `Stream` streams. Client streams (`EtcdRecover`) count as unary. Source: Talos v1.14: proxying of
 * streams.
 */
export function isStreamingMethod(fullMethod: string): boolean {
  return streamingMethods.has(fullMethod) || fullMethod.endsWith('Stream');
}
