import type { MachineMethod } from './machine-services.ts';
import type { MethodRule } from './method-rule.ts';
import { roles } from './roles.ts';

const { admin, operator, reader, etcdBackup, imageVerifier, metaWriter } = roles;

// Sets of roles, named by their first letters: Admin, Operator, Reader, Etcd backup, image Verifier, Meta
// writer.
const A = [admin] as const;
const AO = [admin, operator] as const;
const AR = [admin, reader] as const;
const AM = [admin, metaWriter] as const;
const AOR = [admin, operator, reader] as const;
const AOE = [admin, operator, etcdBackup] as const;
const AORE = [admin, operator, reader, etcdBackup] as const;
const AORV = [admin, operator, reader, imageVerifier] as const;

const needsDiskGroups = 'needs logical volumes and RAID, which are not implemented';
const needsSignatures = 'needs verification of image signatures, which is not implemented';
const needsTerminals = 'needs terminals in containers of the node, which are not implemented';

/**
 * Every method that machined serves, by full name (`/package.Service/Method`): who may call it, and what it
 * needs. The compiler requires one row per method of the contracts. A method without a row fails with
 * UNIMPLEMENTED, without a check of roles. Sources: Talos v1.14: authorization of methods; Talos v1.14:
 * talosctl commands. For the alarm, defragment, status, downgrade and health calls, the text of
 * `controlPlaneOnly` is not upstream's.
 */
const rows = {
  '/machine.MachineService/ApplyConfiguration': {
    roles: AR,
    mutates: true,
    command: 'apply-config',
    maintenance: true,
    agent: 'refused',
    request: 'configuration',
  },
  '/machine.MachineService/Bootstrap': {
    roles: A,
    mutates: true,
    command: 'bootstrap',
    controlPlaneOnly: 'bootstrap',
  },
  '/machine.MachineService/Containers': { roles: AOR, mutates: false, command: 'containers' },
  '/machine.MachineService/Copy': { roles: A, mutates: false, command: 'copy', readsFiles: true },
  '/machine.MachineService/CPUFreqStats': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/CPUInfo': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/DiskStats': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/Dmesg': { roles: AOR, mutates: false, command: 'dmesg', endless: { ifField: 1 } },
  '/machine.MachineService/Events': { roles: AOR, mutates: false, command: 'events', endless: 'always' },
  '/machine.MachineService/EtcdMemberList': {
    roles: AORE,
    mutates: false,
    command: 'etcd members',
    controlPlaneOnly: 'member list',
  },
  '/machine.MachineService/EtcdRemoveMemberByID': {
    roles: A,
    mutates: true,
    command: 'etcd remove-member',
    controlPlaneOnly: 'etcd remove member',
  },
  '/machine.MachineService/EtcdLeaveCluster': {
    roles: A,
    mutates: true,
    command: 'etcd leave',
    controlPlaneOnly: 'etcd leave',
  },
  '/machine.MachineService/EtcdForfeitLeadership': {
    roles: A,
    mutates: true,
    command: 'etcd forfeit-leadership',
    controlPlaneOnly: 'etcd forfeit leadership',
  },
  '/machine.MachineService/EtcdRecover': {
    roles: A,
    mutates: true,
    command: 'bootstrap --recover-from',
    controlPlaneOnly: 'etcd recover',
    request: 'large',
  },
  '/machine.MachineService/EtcdSnapshot': {
    roles: AOE,
    mutates: false,
    command: 'etcd snapshot',
    controlPlaneOnly: 'etcd snapshot',
  },
  '/machine.MachineService/EtcdAlarmList': {
    roles: AORE,
    mutates: false,
    command: 'etcd alarm list',
    controlPlaneOnly: 'etcd alarm list',
  },
  '/machine.MachineService/EtcdAlarmDisarm': {
    roles: AO,
    mutates: true,
    command: 'etcd alarm disarm',
    controlPlaneOnly: 'etcd alarm disarm',
  },
  '/machine.MachineService/EtcdDefragment': {
    roles: AO,
    mutates: true,
    command: 'etcd defrag',
    controlPlaneOnly: 'etcd defragment',
  },
  '/machine.MachineService/EtcdStatus': {
    roles: AORE,
    mutates: false,
    command: 'etcd status',
    controlPlaneOnly: 'etcd status',
  },
  '/machine.MachineService/EtcdDowngradeValidate': {
    roles: A,
    mutates: false,
    command: 'etcd downgrade validate',
    controlPlaneOnly: 'etcd downgrade validate',
  },
  '/machine.MachineService/EtcdDowngradeEnable': {
    roles: A,
    mutates: true,
    command: 'etcd downgrade enable',
    controlPlaneOnly: 'etcd downgrade enable',
  },
  '/machine.MachineService/EtcdDowngradeCancel': {
    roles: A,
    mutates: true,
    command: 'etcd downgrade cancel',
    controlPlaneOnly: 'etcd downgrade cancel',
  },
  '/machine.MachineService/Hostname': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/Kubeconfig': {
    roles: A,
    mutates: true,
    command: 'kubeconfig',
    controlPlaneOnly: 'kubeconfig',
  },
  '/machine.MachineService/List': { roles: AOR, mutates: false, command: 'list' },
  '/machine.MachineService/DiskUsage': { roles: AOR, mutates: false, command: 'usage' },
  '/machine.MachineService/LoadAvg': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/Logs': { roles: AOR, mutates: false, command: 'logs', endless: { ifField: 4 } },
  '/machine.MachineService/LogsContainers': { roles: AOR, mutates: false, command: 'support' },
  '/machine.MachineService/Memory': { roles: AOR, mutates: false, command: 'memory' },
  '/machine.MachineService/Mounts': { roles: AOR, mutates: false, command: 'mounts' },
  '/machine.MachineService/NetworkDeviceStats': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/Processes': { roles: AOR, mutates: false, command: 'processes' },
  '/machine.MachineService/Read': { roles: A, mutates: false, command: 'read', readsFiles: true },
  '/machine.MachineService/Reboot': {
    roles: AO,
    mutates: true,
    command: 'reboot',
    containerMode: 'unless chosen',
  },
  '/machine.MachineService/Restart': { roles: AO, mutates: true, command: 'restart' },
  '/machine.MachineService/Rollback': {
    roles: A,
    mutates: true,
    command: 'rollback',
    containerMode: 'without keeper',
  },
  '/machine.MachineService/Reset': { roles: A, mutates: true, command: 'reset', agent: 'refused' },
  '/machine.MachineService/ServiceList': { roles: AOR, mutates: false, command: 'service' },
  '/machine.MachineService/ServiceRestart': { roles: AO, mutates: true, command: 'service restart' },
  '/machine.MachineService/ServiceStart': { roles: AO, mutates: true, command: 'service start' },
  '/machine.MachineService/ServiceStop': { roles: AO, mutates: true, command: 'service stop' },
  '/machine.MachineService/Shutdown': {
    roles: AO,
    mutates: true,
    command: 'shutdown',
    containerMode: 'refused',
  },
  '/machine.MachineService/Stats': { roles: AOR, mutates: false, command: 'stats' },
  '/machine.MachineService/SystemStat': { roles: AOR, mutates: false, command: 'dashboard' },
  '/machine.MachineService/Upgrade': {
    roles: A,
    mutates: true,
    command: 'upgrade',
    agent: 'refused',
    containerMode: 'without keeper',
    deprecated: true,
  },
  '/machine.MachineService/Version': { roles: AOR, mutates: false, command: 'version' },
  '/machine.MachineService/GenerateClientConfiguration': {
    roles: A,
    mutates: true,
    command: 'config new',
    controlPlaneOnly: 'generate client configuration',
  },
  '/machine.MachineService/PacketCapture': { roles: AO, mutates: false, command: 'pcap', endless: 'always' },
  '/machine.MachineService/Netstat': { roles: AOR, mutates: false, command: 'netstat' },
  '/machine.MachineService/MetaWrite': {
    roles: AM,
    mutates: true,
    command: 'meta write',
    containerMode: 'refused',
    request: 'medium',
  },
  '/machine.MachineService/MetaDelete': {
    roles: AM,
    mutates: true,
    command: 'meta delete',
    containerMode: 'refused',
  },
  '/machine.MachineService/ImageList': {
    roles: AOR,
    mutates: false,
    command: 'image list',
    deprecated: true,
  },
  '/machine.MachineService/ImagePull': { roles: AO, mutates: true, command: 'image pull', deprecated: true },

  '/cluster.ClusterService/HealthCheck': {
    roles: AOR,
    mutates: false,
    command: 'health',
    controlPlaneOnly: 'cluster health check',
  },

  '/inspect.InspectService/ControllerRuntimeDependencies': {
    roles: AOR,
    mutates: false,
    command: 'inspect dependencies',
  },

  '/storage.StorageService/Disks': { roles: AOR, mutates: false, command: 'reset' },
  '/storage.StorageService/BlockDeviceWipe': {
    roles: AR,
    mutates: true,
    command: 'wipe disk',
    maintenance: true,
  },

  '/time.TimeService/Time': { roles: AOR, mutates: false, command: 'time' },
  '/time.TimeService/TimeCheck': { roles: AOR, mutates: false, command: 'time --check' },

  '/cosi.resource.State/Get': { roles: AOR, mutates: false, command: 'get' },
  '/cosi.resource.State/List': { roles: AOR, mutates: false, command: 'get' },
  '/cosi.resource.State/Create': { roles: A, mutates: true, command: undefined, request: 'large' },
  '/cosi.resource.State/Update': { roles: A, mutates: true, command: undefined, request: 'large' },
  '/cosi.resource.State/Destroy': { roles: A, mutates: true, command: undefined },
  '/cosi.resource.State/Watch': { roles: AOR, mutates: false, command: 'get --watch', endless: 'always' },
  '/cosi.resource.State/Teardown': { roles: A, mutates: true, command: undefined },
  '/cosi.resource.State/TeardownAndDestroy': { roles: A, mutates: true, command: undefined },

  '/machine.ImageService/List': { roles: AOR, mutates: false, command: 'image list' },
  '/machine.ImageService/Pull': { roles: AO, mutates: true, command: 'image pull' },
  '/machine.ImageService/Import': { roles: A, mutates: true, command: 'debug', request: 'large' },
  '/machine.ImageService/Remove': { roles: A, mutates: true, command: 'image remove' },
  '/machine.ImageService/Verify': {
    roles: AORV,
    mutates: false,
    command: 'image verify',
    notImplemented: needsSignatures,
  },

  '/machine.LifecycleService/Install': {
    roles: A,
    mutates: true,
    command: 'apply-config',
    agent: 'refused',
    containerMode: 'refused',
  },
  '/machine.LifecycleService/Upgrade': {
    roles: A,
    mutates: true,
    command: 'upgrade',
    agent: 'refused',
    containerMode: 'without keeper',
  },

  '/machine.DebugService/ContainerRun': {
    roles: A,
    mutates: true,
    command: 'debug',
    notImplemented: needsTerminals,
    request: 'medium',
  },

  '/machine.StorageService/Statfs': {
    roles: AOR,
    mutates: false,
    command: 'diskfree',
  },

  '/machine.LVMService/LogicalVolumeRemove': {
    roles: AR,
    mutates: true,
    command: 'wipe lv',
    maintenance: true,
    notImplemented: needsDiskGroups,
  },
  '/machine.LVMService/VolumeGroupRemove': {
    roles: AR,
    mutates: true,
    command: 'wipe vg',
    maintenance: true,
    notImplemented: needsDiskGroups,
  },
  '/machine.LVMService/PhysicalVolumeRemove': {
    roles: AR,
    mutates: true,
    command: 'wipe pv',
    maintenance: true,
    notImplemented: needsDiskGroups,
  },

  '/machine.MDService/Destroy': {
    roles: AR,
    mutates: true,
    command: 'wipe md',
    maintenance: true,
    notImplemented: needsDiskGroups,
  },
  '/suite.extensions.v1.ExtensionSetService/Status': {
    ...{ roles: AOR, mutates: false, command: 'extensions sets' },
  },
  '/suite.extensions.v1.ExtensionSetService/Install': {
    ...{ roles: A, mutates: true, command: 'extensions install', request: 'large' },
  },
  '/suite.extensions.v1.ExtensionSetService/Remove': {
    ...{ roles: A, mutates: true, command: 'extensions remove' },
  },
  '/suite.upgrade.v1.UpgradeService/Upgrade': {
    roles: A,
    mutates: true,
    command: 'upgrade',
    agent: 'refused',
    containerMode: 'without keeper',
    request: 'large',
  },
  '/suite.upgrade.v1.RolloutService/Start': { roles: A, mutates: true, command: 'upgrade' },
  '/suite.upgrade.v1.RolloutService/Status': { roles: AOR, mutates: false, command: 'upgrade' },
  '/suite.upgrade.v1.RolloutService/Watch': {
    roles: AOR,
    mutates: false,
    command: 'upgrade',
    endless: 'always',
  },
  '/suite.upgrade.v1.RolloutService/Resume': { roles: A, mutates: true, command: 'upgrade' },
  '/suite.upgrade.v1.RolloutService/Abort': { roles: A, mutates: true, command: 'upgrade' },
  // For the drivers of roll-outs on control planes, which issue themselves certificates of administrators.
  '/suite.upgrade.v1.TurnService/Progress': { roles: A, mutates: true, command: undefined },
  '/suite.upgrade.v1.TurnService/Prepare': { roles: A, mutates: true, command: undefined },
  '/suite.upgrade.v1.TurnService/Begin': { roles: A, mutates: true, command: undefined },
  '/suite.upgrade.v1.TurnService/Withdraw': { roles: A, mutates: true, command: undefined },
  '/suite.registry.v1.RegistryService/Status': { roles: AOR, mutates: false, command: 'registry status' },
  '/suite.registry.v1.RegistryService/ListImages': { roles: AOR, mutates: false, command: 'registry images' },
  '/suite.registry.v1.RegistryService/Pull': { roles: AO, mutates: true, command: 'registry pull' },
  '/suite.registry.v1.RegistryService/RemoveImage': { roles: A, mutates: true, command: 'registry remove' },
  '/suite.registry.v1.RegistryService/Collect': { roles: AO, mutates: true, command: 'registry collect' },
  '/suite.registry.v1.RegistryService/WatchTransfers': {
    roles: AOR,
    mutates: false,
    command: 'registry transfers --follow',
    endless: 'always',
  },
} satisfies Record<MachineMethod, MethodRule>;

export const methodTable: Readonly<Record<string, MethodRule>> = rows;

/**
 * Whether a call of the method only reads, and reads what `os:reader` may read. When such a call succeeds, request logs have its line at
 * `debug`. Which resources the methods of `cosi.resource.State` read is in their requests: see `readsResources()`.
 */
export function isReaderRead(fullMethod: string): boolean {
  const rule = methodRule(fullMethod);
  return rule !== undefined && !rule.mutates && rule.roles.includes(reader);
}

/** Whether the method reads resources, some kinds of which only administrators may read. */
export function readsResources(fullMethod: string): boolean {
  return fullMethod.startsWith('/cosi.resource.State/') && isReaderRead(fullMethod);
}

/** The row of a method; `undefined` for any other text. */
export function methodRule(fullMethod: string): MethodRule | undefined {
  return Object.hasOwn(methodTable, fullMethod) ? methodTable[fullMethod] : undefined;
}
