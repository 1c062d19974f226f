/**
 * The type of a value in a runtime specification: a scalar, an object with known keys, a list, or a map with
 * any keys. Unknown keys of an object may have any value.
 */
export type SpecShape =
  | 'text'
  | 'bool'
  | IntegerName
  | { readonly parts: Readonly<Record<string, SpecShape>> }
  | { readonly list: SpecShape }
  | { readonly map: SpecShape };

export type IntegerName = 'int' | 'uint16' | 'uint32' | 'uint64';

const parts = (record: Readonly<Record<string, SpecShape>>): SpecShape => ({ parts: record });
const list = (of: SpecShape): SpecShape => ({ list: of });
const texts = list('text');
const annotations: SpecShape = { map: 'text' };

const hooks = list(parts({ path: 'text', args: texts, env: texts, timeout: 'int' }));
const idMappings = list(parts({ containerID: 'uint32', hostID: 'uint32', size: 'uint32' }));
const throttle = list(parts({ major: 'int', minor: 'int', rate: 'uint64' }));

const process = parts({
  terminal: 'bool',
  consoleSize: parts({ height: 'uint32', width: 'uint32' }),
  user: parts({
    uid: 'uint32',
    gid: 'uint32',
    umask: 'uint32',
    additionalGids: list('uint32'),
    username: 'text',
  }),
  args: texts,
  commandLine: 'text',
  env: texts,
  cwd: 'text',
  capabilities: parts({
    bounding: texts,
    effective: texts,
    inheritable: texts,
    permitted: texts,
    ambient: texts,
  }),
  rlimits: list(parts({ type: 'text', hard: 'uint64', soft: 'uint64' })),
  noNewPrivileges: 'bool',
  apparmorProfile: 'text',
  oomScoreAdj: 'int',
  scheduler: parts({
    policy: 'text',
    nice: 'int',
    priority: 'int',
    flags: texts,
    runtime: 'uint64',
    deadline: 'uint64',
    period: 'uint64',
  }),
  selinuxLabel: 'text',
  ioPriority: parts({ class: 'text', priority: 'int' }),
  execCPUAffinity: parts({ initial: 'text', final: 'text' }),
});

const resources = parts({
  devices: list(parts({ allow: 'bool', type: 'text', major: 'int', minor: 'int', access: 'text' })),
  memory: parts({
    limit: 'int',
    reservation: 'int',
    swap: 'int',
    kernel: 'int',
    kernelTCP: 'int',
    swappiness: 'uint64',
    disableOOMKiller: 'bool',
    useHierarchy: 'bool',
    checkBeforeUpdate: 'bool',
  }),
  cpu: parts({
    shares: 'uint64',
    quota: 'int',
    burst: 'uint64',
    period: 'uint64',
    realtimeRuntime: 'int',
    realtimePeriod: 'uint64',
    cpus: 'text',
    mems: 'text',
    idle: 'int',
  }),
  pids: parts({ limit: 'int' }),
  blockIO: parts({
    weight: 'uint16',
    leafWeight: 'uint16',
    weightDevice: list(parts({ major: 'int', minor: 'int', weight: 'uint16', leafWeight: 'uint16' })),
    throttleReadBpsDevice: throttle,
    throttleWriteBpsDevice: throttle,
    throttleReadIOPSDevice: throttle,
    throttleWriteIOPSDevice: throttle,
  }),
  hugepageLimits: list(parts({ pageSize: 'text', limit: 'uint64' })),
  network: parts({ classID: 'uint32', priorities: list(parts({ name: 'text', priority: 'uint32' })) }),
  rdma: { map: parts({ hcaHandles: 'uint32', hcaObjects: 'uint32' }) },
  unified: { map: 'text' },
});

const linux = parts({
  uidMappings: idMappings,
  gidMappings: idMappings,
  sysctl: { map: 'text' },
  resources,
  cgroupsPath: 'text',
  namespaces: list(parts({ type: 'text', path: 'text' })),
  devices: list(
    parts({
      path: 'text',
      type: 'text',
      major: 'int',
      minor: 'int',
      fileMode: 'uint32',
      uid: 'uint32',
      gid: 'uint32',
    }),
  ),
  netDevices: { map: parts({ name: 'text' }) },
  seccomp: parts({
    defaultAction: 'text',
    defaultErrnoRet: 'uint32',
    architectures: texts,
    flags: texts,
    listenerPath: 'text',
    listenerMetadata: 'text',
    syscalls: list(
      parts({
        names: texts,
        action: 'text',
        errnoRet: 'uint32',
        args: list(parts({ index: 'uint32', value: 'uint64', valueTwo: 'uint64', op: 'text' })),
      }),
    ),
  }),
  rootfsPropagation: 'text',
  maskedPaths: texts,
  readonlyPaths: texts,
  mountLabel: 'text',
  intelRdt: parts({
    closID: 'text',
    l3CacheSchema: 'text',
    memBwSchema: 'text',
    enableCMT: 'bool',
    enableMBM: 'bool',
  }),
  personality: parts({ domain: 'text', flags: texts }),
  timeOffsets: { map: parts({ secs: 'int', nanosecs: 'uint32' }) },
});

/** The Linux part of a runtime specification. Source: OCI runtime specification, 1.2, specs-go. */
export const runtimeSpec: SpecShape = parts({
  ociVersion: 'text',
  process,
  root: parts({ path: 'text', readonly: 'bool' }),
  hostname: 'text',
  domainname: 'text',
  mounts: list(
    parts({
      destination: 'text',
      type: 'text',
      source: 'text',
      options: texts,
      uidMappings: idMappings,
      gidMappings: idMappings,
    }),
  ),
  hooks: parts({
    prestart: hooks,
    createRuntime: hooks,
    createContainer: hooks,
    startContainer: hooks,
    poststart: hooks,
    poststop: hooks,
  }),
  annotations,
  linux,
  solaris: parts({}),
  windows: parts({}),
  vm: parts({}),
  zos: parts({}),
});
