import type { MethodRule } from './method-rule.ts';
import { roles } from './roles.ts';

const { admin, operator, reader, etcdBackup, imageVerifier, metaWriter } = roles;

// Role sets under the letters that the reference uses: Admin, Operator, Reader, Etcd backup, image Verifier, Meta writer.
const A = [admin] as const;
const AO = [admin, operator] as const;
const AR = [admin, reader] as const;
const AM = [admin, metaWriter] as const;
const AOR = [admin, operator, reader] as const;
const AOE = [admin, operator, etcdBackup] as const;
const AORE = [admin, operator, reader, etcdBackup] as const;
const AORV = [admin, operator, reader, imageVerifier] as const;

/**
 * Every method that machined serves, by full name (`/package.Service/Method`), and what it needs. A method that is not
 * here does not exist: UNIMPLEMENTED without a role check. Source: Talos v1.14: authorization of methods. The words of
 * `controlPlaneOnly` of the alarm, defragment, status, downgrade and health calls are ours.
 */
export const methodTable: Readonly<Record<string, MethodRule>> = {
  '/machine.MachineService/ApplyConfiguration': {
    roles: AR,
    kind: 'unary',
    nodes: true,
    mutates: true,
    maintenance: true,
    agent: 'refused',
  },
  '/machine.MachineService/Bootstrap': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'bootstrap',
  },
  '/machine.MachineService/Containers': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Copy': { roles: A, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/CPUFreqStats': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/CPUInfo': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/DiskStats': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Dmesg': { roles: AOR, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/Events': { roles: AOR, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/EtcdMemberList': {
    roles: AORE,
    kind: 'unary',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'member list',
  },
  '/machine.MachineService/EtcdRemoveMemberByID': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd remove member',
  },
  '/machine.MachineService/EtcdLeaveCluster': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd leave',
  },
  '/machine.MachineService/EtcdForfeitLeadership': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd forfeit leadership',
  },
  '/machine.MachineService/EtcdRecover': {
    roles: A,
    kind: 'client-stream',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd recover',
  },
  '/machine.MachineService/EtcdSnapshot': {
    roles: AOE,
    kind: 'server-stream',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'etcd snapshot',
  },
  '/machine.MachineService/EtcdAlarmList': {
    roles: AORE,
    kind: 'unary',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'etcd alarm list',
  },
  '/machine.MachineService/EtcdAlarmDisarm': {
    roles: AO,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd alarm disarm',
  },
  '/machine.MachineService/EtcdDefragment': {
    roles: AO,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd defragment',
  },
  '/machine.MachineService/EtcdStatus': {
    roles: AORE,
    kind: 'unary',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'etcd status',
  },
  '/machine.MachineService/EtcdDowngradeValidate': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'etcd downgrade validate',
  },
  '/machine.MachineService/EtcdDowngradeEnable': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd downgrade enable',
  },
  '/machine.MachineService/EtcdDowngradeCancel': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'etcd downgrade cancel',
  },
  '/machine.MachineService/Hostname': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Kubeconfig': {
    roles: A,
    kind: 'server-stream',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'kubeconfig',
  },
  '/machine.MachineService/List': { roles: AOR, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/DiskUsage': { roles: AOR, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/LoadAvg': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Logs': { roles: AOR, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/LogsContainers': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Memory': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Mounts': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/NetworkDeviceStats': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Processes': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Read': { roles: A, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/Reboot': {
    roles: AO,
    kind: 'unary',
    nodes: true,
    mutates: true,
    containerMode: 'refused',
  },
  '/machine.MachineService/Restart': { roles: AO, kind: 'unary', nodes: true, mutates: true },
  '/machine.MachineService/Rollback': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    containerMode: 'refused',
  },
  '/machine.MachineService/Reset': { roles: A, kind: 'unary', nodes: true, mutates: true, agent: 'refused' },
  '/machine.MachineService/ServiceList': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/ServiceRestart': { roles: AO, kind: 'unary', nodes: true, mutates: true },
  '/machine.MachineService/ServiceStart': { roles: AO, kind: 'unary', nodes: true, mutates: true },
  '/machine.MachineService/ServiceStop': { roles: AO, kind: 'unary', nodes: true, mutates: true },
  '/machine.MachineService/Shutdown': {
    roles: AO,
    kind: 'unary',
    nodes: true,
    mutates: true,
    containerMode: 'refused',
  },
  '/machine.MachineService/Stats': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/SystemStat': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/Upgrade': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    agent: 'refused',
    containerMode: 'refused',
    deprecated: true,
  },
  '/machine.MachineService/Version': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/GenerateClientConfiguration': {
    roles: A,
    kind: 'unary',
    nodes: true,
    mutates: true,
    controlPlaneOnly: 'generate client configuration',
  },
  '/machine.MachineService/PacketCapture': { roles: AO, kind: 'server-stream', nodes: true, mutates: false },
  '/machine.MachineService/Netstat': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/machine.MachineService/MetaWrite': {
    roles: AM,
    kind: 'unary',
    nodes: true,
    mutates: true,
    containerMode: 'refused',
  },
  '/machine.MachineService/MetaDelete': {
    roles: AM,
    kind: 'unary',
    nodes: true,
    mutates: true,
    containerMode: 'refused',
  },
  '/machine.MachineService/ImageList': {
    roles: AOR,
    kind: 'server-stream',
    nodes: true,
    mutates: false,
    deprecated: true,
  },
  '/machine.MachineService/ImagePull': {
    roles: AO,
    kind: 'unary',
    nodes: true,
    mutates: true,
    deprecated: true,
  },

  '/cluster.ClusterService/HealthCheck': {
    roles: AOR,
    kind: 'server-stream',
    nodes: true,
    mutates: false,
    controlPlaneOnly: 'cluster health check',
  },

  '/inspect.InspectService/ControllerRuntimeDependencies': {
    roles: AOR,
    kind: 'unary',
    nodes: true,
    mutates: false,
  },

  '/storage.StorageService/Disks': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/storage.StorageService/BlockDeviceWipe': {
    roles: AR,
    kind: 'unary',
    nodes: true,
    mutates: true,
    maintenance: true,
  },

  '/time.TimeService/Time': { roles: AOR, kind: 'unary', nodes: true, mutates: false },
  '/time.TimeService/TimeCheck': { roles: AOR, kind: 'unary', nodes: true, mutates: false },

  '/cosi.resource.State/Get': { roles: AOR, kind: 'unary', nodes: false, mutates: false },
  '/cosi.resource.State/List': { roles: AOR, kind: 'server-stream', nodes: false, mutates: false },
  '/cosi.resource.State/Create': { roles: A, kind: 'unary', nodes: false, mutates: true },
  '/cosi.resource.State/Update': { roles: A, kind: 'unary', nodes: false, mutates: true },
  '/cosi.resource.State/Destroy': { roles: A, kind: 'unary', nodes: false, mutates: true },
  '/cosi.resource.State/Watch': { roles: AOR, kind: 'server-stream', nodes: false, mutates: false },
  '/cosi.resource.State/Teardown': { roles: A, kind: 'unary', nodes: false, mutates: true },
  '/cosi.resource.State/TeardownAndDestroy': { roles: A, kind: 'unary', nodes: false, mutates: true },

  '/machine.ImageService/List': { roles: AOR, kind: 'server-stream', nodes: false, mutates: false },
  '/machine.ImageService/Pull': { roles: AO, kind: 'server-stream', nodes: false, mutates: true },
  '/machine.ImageService/Import': { roles: A, kind: 'client-stream', nodes: false, mutates: true },
  '/machine.ImageService/Remove': { roles: A, kind: 'unary', nodes: false, mutates: true },
  '/machine.ImageService/Verify': { roles: AORV, kind: 'unary', nodes: false, mutates: false },

  '/machine.LifecycleService/Install': {
    roles: A,
    kind: 'server-stream',
    nodes: false,
    mutates: true,
    agent: 'refused',
    containerMode: 'refused',
  },
  '/machine.LifecycleService/Upgrade': {
    roles: A,
    kind: 'server-stream',
    nodes: false,
    mutates: true,
    agent: 'refused',
    containerMode: 'refused',
  },

  '/machine.DebugService/ContainerRun': { roles: A, kind: 'bidi', nodes: false, mutates: true },

  '/machine.StorageService/Statfs': { roles: AOR, kind: 'unary', nodes: false, mutates: false },

  '/machine.LVMService/LogicalVolumeRemove': {
    roles: AR,
    kind: 'unary',
    nodes: false,
    mutates: true,
    maintenance: true,
  },
  '/machine.LVMService/VolumeGroupRemove': {
    roles: AR,
    kind: 'unary',
    nodes: false,
    mutates: true,
    maintenance: true,
  },
  '/machine.LVMService/PhysicalVolumeRemove': {
    roles: AR,
    kind: 'unary',
    nodes: false,
    mutates: true,
    maintenance: true,
  },

  '/machine.MDService/Destroy': { roles: AR, kind: 'unary', nodes: false, mutates: true, maintenance: true },
};
