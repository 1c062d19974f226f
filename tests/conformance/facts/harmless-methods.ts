/**
 * The methods that the suite may call with an allowed role and an empty request: they change nothing, and
 * what they start ends with the call. All others are called only with roles that must be refused.
 */
export const harmlessMethods: ReadonlySet<string> = new Set([
  ...[
    ...['Containers', 'Copy', 'CPUFreqStats', 'CPUInfo', 'DiskStats', 'DiskUsage', 'Dmesg', 'Events'],
    ...['EtcdAlarmList', 'EtcdMemberList', 'EtcdStatus', 'Hostname', 'ImageList', 'List', 'LoadAvg', 'Logs'],
    ...['LogsContainers', 'Memory', 'Mounts', 'Netstat', 'NetworkDeviceStats', 'PacketCapture', 'Processes'],
    ...['Read', 'ServiceList', 'Stats', 'SystemStat', 'Version', 'GenerateClientConfiguration'],
  ].map((name) => `/machine.MachineService/${name}`),
  '/cluster.ClusterService/HealthCheck',
  '/inspect.InspectService/ControllerRuntimeDependencies',
  '/storage.StorageService/Disks',
  '/time.TimeService/Time',
  '/time.TimeService/TimeCheck',
  '/cosi.resource.State/Get',
  '/cosi.resource.State/List',
  '/cosi.resource.State/Watch',
  '/machine.ImageService/List',
  '/machine.ImageService/Verify',
  '/machine.StorageService/Statfs',
]);
