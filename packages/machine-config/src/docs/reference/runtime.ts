import { PlainScalar } from '../../yaml/yaml-value.ts';
import { type KindReferences, notRead, onlyMachines, onlyOn, onNoNode } from './reference-docs.ts';

/** Source: Talos v1.14: machine configuration, runtime. */
export const runtimeReferences: KindReferences = {
  EnvironmentConfig: {
    '': {
      help: 'Environment variables of services, including proxies; they win over machine.env of the v1alpha1 document.',
      notApplied: onNoNode(
        'Nodes publish the variables as the resource Environments, and give them to no service yet.',
      ),
    },
    variables: {
      help: 'Values by name; a name has letters, digits and underscores, and does not begin with a digit.',
      example: { HTTPS_PROXY: 'http://proxy.example.org:3128' },
    },
  },
  EventSinkConfig: {
    '': {
      help: 'A receiver of the events of the node.',
      notApplied: onNoNode(
        'Nodes publish it as the resource EventSinkConfigs, and send no events there yet.',
      ),
    },
    endpoint: {
      help: 'Address of the receiver as host:port.',
      example: '192.0.2.40:10200',
      isRequired: true,
    },
  },
  KmsgLogConfig: {
    '': { help: 'A receiver of the log of the kernel; one document for each, at most 64.' },
    name: { help: 'Name of the receiver.', example: 'remote-log', isRequired: true },
    url: {
      help: 'URL of the receiver: tcp or udp, with host and port and without a path.',
      example: 'tcp://192.0.2.20:3478/',
      isRequired: true,
    },
  },
  KernelModuleConfig: {
    '': {
      help: 'A kernel module that machines load; a document wins over the same module of machine.kernel.',
      notApplied: onlyMachines,
    },
    name: { help: 'Name of the module.', example: 'nbd', isRequired: true },
    parameters: {
      help: 'Parameters of the module; changed ones take effect when it is loaded the next time.',
      example: ['nbds_max=8'],
    },
  },
  SysctlConfig: {
    '': {
      help: 'Kernel parameters below /proc/sys, which machines set; elsewhere the node only compares them.',
      notApplied: onlyMachines,
    },
    params: {
      help: 'Values by name; dots separate the parts of a name, or slashes if the first separator is one. Wins over machine.sysctls.',
    },
  },
  SysfsConfig: {
    '': {
      help: 'Files below /sys, which machines write; elsewhere the node only compares them.',
      notApplied: onlyMachines,
    },
    params: {
      help: 'Values by path below /sys, with dots or slashes as in SysctlConfig. Wins over machine.sysfs.',
      example: { 'devices.system.cpu.cpu0.cpufreq.scaling_governor': 'performance' },
    },
  },
  UdevRulesConfig: {
    '': {
      help: 'Rules of udev, by which machines name devices and set their permissions.',
      notApplied: onlyMachines,
    },
    rules: {
      help: 'Rules, one per line of text; they replace machine.udev.rules of the v1alpha1 document.',
      example: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"'],
    },
  },
  OOMConfig: {
    '': {
      help: 'When the node ends the processes of a cgroup because memory is short, and of which one.',
      notApplied: notRead,
    },
    triggerExpression: {
      help: 'CEL expression, a boolean: true when a cgroup is to be ended; memory pressure and usage are its variables.',
      example: "memory_full_avg10 > 12.0 && time_since_trigger > duration('500ms')",
    },
    cgroupRankingExpression: {
      help: 'CEL expression, a double: the rank of a cgroup among those that may be ended; class, path and memory are its variables.',
      example: 'memory_max.hasValue() ? 0.0 : double(memory_current.orValue(0u))',
    },
    strictCgroupClassOrdering: {
      help: 'Whether the class of a cgroup (BestEffort, Burstable and so on) counts before its rank.',
      default: 'true',
    },
    sampleInterval: {
      help: 'Time between two readings of the memory pressure; not negative.',
      example: '500ms',
      default: '500ms',
    },
  },
  WatchdogTimerConfig: {
    '': {
      help: 'A hardware watchdog that resets the machine when the node no longer feeds it.',
      notApplied: onNoNode(
        'Nodes publish it as the resource WatchdogTimerConfigs, and do not feed the watchdog yet.',
      ),
    },
    device: { help: 'Device of the watchdog.', example: '/dev/watchdog0', isRequired: true },
    timeout: {
      help: 'Time without feeding after which the watchdog resets the machine: at least 10s, or 0 for the default.',
      example: '2m0s',
      default: '1m0s',
    },
  },
  SecurityProfileConfig: {
    '': { help: 'Isolation of workloads from the system.', notApplied: notRead },
    workloadIsolation: { help: 'Whether workloads are isolated from the system.', default: 'false' },
  },
  EtcFileConfig: {
    '': { help: 'A file below /etc.', notApplied: notRead },
    name: {
      help: 'Path below /etc, relative to it; not a file or folder that the system itself writes, such as hosts.',
      example: 'nfsmount.conf',
      isRequired: true,
    },
    mode: { help: 'Permissions of the file, octal.', example: new PlainScalar('0o600'), default: '0o644' },
    contents: {
      help: 'Text of the file.',
      example: '[ NFSMount_Global_Options ]\nnfsvers=4.2\n',
    },
  },
  UnattendedInstallConfig: {
    '': {
      help: 'Installation of the system to a disk at the first boot; not together with machine.install.',
      notApplied: onlyOn(['machine'], 'Only machines have disks of their own.'),
    },
    reboot: {
      help: 'Whether the machine reboots from the disk after the installation. With false it starts nothing else and waits for a reboot.',
      default: 'true',
    },
    'installer.image': {
      help: 'Image of the installer. Without it, and when its tag is the version of the medium that was booted, the system comes from that medium.',
    },
    provisioning: { help: 'The disk to install to.', isRequired: true },
    'provisioning.diskSelector': { help: 'Selects the disk.', isRequired: true },
    'provisioning.diskSelector.match': {
      help: 'CEL expression that is true for the disk to install to; its variables are disk, system_disk and units such as GiB.',
      example: "disk.size > 100u * GB && disk.transport == 'nvme'",
      isRequired: true,
    },
    'provisioning.wipe': {
      help: 'Whether the disk may be overwritten when it is not blank. One that has a system already is overwritten only when true is written here.',
      default: 'true',
    },
  },
  ExtensionServiceConfig: {
    '': {
      help: 'Files and environment variables of the service of an extension; at least one of them.',
      notApplied: onlyOn(['container', 'machine'], 'Processes and stacks run no services of extensions.'),
    },
    name: {
      help: 'Name of the service, without ext- in front.',
      example: 'nut-client',
      isRequired: true,
    },
    configFiles: { help: 'Files that the service sees; patches merge them by mountPath.' },
    'configFiles.content': {
      help: 'Text of the file.',
      example: 'MONITOR ups@192.0.2.30 1 user pass slave\n',
      isRequired: true,
    },
    'configFiles.mountPath': {
      help: 'Path of the file in the service.',
      example: '/usr/local/etc/nut/upsmon.conf',
      isRequired: true,
    },
    environment: {
      help: 'Environment variables, each as NAME=value, after those of the extension itself.',
      example: ['NUT_UPS=upsname'],
    },
  },
};
