import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { type EffectiveConfig, effectiveConfig } from './effective-config.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN ED25519 PRIVATE KEY-----\nMA==\n-----END ED25519 PRIVATE KEY-----\n';
const base64 = (pem: string) => Buffer.from(pem).toString('base64');

const of = (...documents: string[]) => effectiveConfig(loadConfiguration(documents.join('\n---\n')));
const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;

function pick<K extends keyof EffectiveConfig>(config: EffectiveConfig, ...keys: K[]) {
  return Object.fromEntries(keys.map((name) => [name, config[name]])) as Pick<EffectiveConfig, K>;
}

const legacy = `
version: v1alpha1
machine:
  type: controlplane
  token: t.oken
  ca: { crt: ${base64(certificate)}, key: ${base64(key)} }
  acceptedCAs: [{ crt: ${base64(certificate)} }]
  certSANs: [node.example, 10.0.0.1]
  network:
    hostname: alpha
    nameservers: [9.9.9.9]
    searchDomains: []
    disableSearchDomain: true
    extraHostEntries: [{ ip: 10.0.0.9, aliases: [nine, ix] }]
    kubespan: { enabled: true }
  kubelet: { nodeIP: { validSubnets: [10.0.0.0/8, "!10.1.0.0/16"] }, registerWithFQDN: true }
  install: { disk: /dev/sda, image: img, wipe: true }
  time: { disabled: true, servers: [ntp.example], bootTimeout: 1m30s }
  env: { A: a, B: b }
  sysctls: { net.ipv4.ip_forward: 1, vm.swappiness: 10 }
  sysfs: { a/b: c }
  kernel: { modules: [{ name: dummy, parameters: [n=1] }, { name: loop }] }
  features:
    stableHostname: true
    nodeAddressSortAlgorithm: v2
    hostDNS: { enabled: true, forwardKubeDNSToHost: true }
    kubePrism: { enabled: true, port: 7000 }
  logging:
    destinations:
      - { endpoint: "tcp://10.0.0.5:514/", format: json_lines, extraTags: { rack: 7 } }
  udev: { rules: [r1] }
  nodeLabels: { a: b }
  nodeTaints: { dedicated: "gpu:NoSchedule" }
cluster:
  id: cluster-id
  secret: cluster-secret
  clusterName: alpha
  controlPlane: { endpoint: "https://10.0.0.1:6443", localAPIServerPort: 7443 }
  network: { dnsDomain: c.local, podSubnets: [10.1.0.0/16], serviceSubnets: [10.2.0.0/16] }
  ca: { crt: ${base64(certificate)}, key: ${base64(key)} }
  apiServer: { certSANs: [api.example] }
  discovery: { enabled: true, registries: { kubernetes: { disabled: true } } }
  etcd: { ca: { crt: ${base64(certificate)}, key: ${base64(key)} } }
  secretboxEncryptionSecret: s
`;

test('effectiveConfig() reads every legacy section', () => {
  assert.deepEqual(of(legacy), {
    isComplete: true,
    debug: false,
    machineType: 'controlplane',
    token: 't.oken',
    issuingCA: { certificate, key },
    acceptedCAs: [certificate],
    certSANs: ['node.example', '10.0.0.1'],
    install: {
      ...{ isUnattended: false, disk: '/dev/sda', diskSelector: '', image: 'img', wipe: true },
      ...{ extraKernelArgs: [], usesImageArguments: false, marksMbr: false, reboots: true },
    },
    hostname: { auto: 'stable', hostname: 'alpha' },
    resolvers: {
      nameServers: [{ address: '9.9.9.9', protocol: 'Do53', tlsServerName: '' }],
      searchDomains: [],
      disableSearchDomain: true,
    },
    hostDNS: { enabled: true, forwardKubeDNSToHost: true, resolveMemberNames: false },
    time: { disabled: true, servers: ['ntp.example'], useNTS: false, bootTimeoutMs: 90_000 },
    staticHosts: [{ address: '10.0.0.9', hostnames: ['nine', 'ix'] }],
    nodeAddressSortAlgorithm: 'v2',
    kubeSpan: { enabled: true },
    usesDefaultDhcp: true,
    cluster: {
      name: 'alpha',
      endpoint: 'https://10.0.0.1:6443',
      id: 'cluster-id',
      secret: 'cluster-secret',
      dnsDomain: 'c.local',
      podSubnets: ['10.1.0.0/16'],
      serviceSubnets: ['10.2.0.0/16'],
      apiServerPort: 7443,
      apiServerSANs: ['api.example'],
      hasKubernetesIssuingCA: true,
      hasEtcdEncryption: true,
      hasEtcdCA: true,
    },
    discovery: {
      enabled: true,
      kubernetesEnabled: false,
      serviceEnabled: true,
      services: [{ name: 'default', endpoint: 'https://discovery.talos.dev/' }],
    },
    kubePrism: { enabled: true, port: 7000, tlsServerName: '' },
    etcd: {
      ca: { certificate, key },
      image: 'registry.k8s.io/etcd:v3.7.1',
      extraArgs: {},
      advertisedSubnets: [],
      listenSubnets: [],
    },
    node: {
      labels: { 'node-role.kubernetes.io/control-plane': '', a: 'b' },
      annotations: {},
      taints: [
        { key: 'node-role.kubernetes.io/control-plane', value: '', effect: 'NoSchedule' },
        { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
      ],
      validSubnets: ['10.0.0.0/8', '!10.1.0.0/16'],
      skipRegistration: false,
      registerWithFQDN: true,
    },
    imageCacheEnabled: false,
    registries: { mirrors: {}, auths: {}, tls: {} },
    logDestinations: [{ endpoint: 'tcp://10.0.0.5:514/', format: 'json_lines', extraTags: { rack: '7' } }],
    kernelLogDestinations: [],
    eventSink: undefined,
    sysctls: { 'net.ipv4.ip_forward': '1', 'vm.swappiness': '10' },
    sysfs: { 'a/b': 'c' },
    kernelModules: [
      { name: 'dummy', parameters: ['n=1'] },
      { name: 'loop', parameters: [] },
    ],
    zswap: undefined,
    environment: { A: 'a', B: 'b' },
    watchdog: undefined,
    udevRules: ['r1'],
    workloadIsolation: false,
    trustedRoots: [],
    extensionServices: [],
  });
});

test('effectiveConfig() prefers documents to legacy sections, merges maps and joins lists', () => {
  const config = of(
    legacy,
    document('HostnameConfig', 'hostname: beta.example\nauto: off'),
    document('ResolverConfig', 'nameservers: [{ address: 1.0.0.1, protocol: dot, tlsServerName: one }]'),
    document('TimeSyncConfig', 'bootTimeout: 500ms\nptp: { devices: [/dev/ptp0] }'),
    document('StaticHostConfig', 'name: 10.0.0.8\nhostnames: [eight]'),
    document('EnvironmentConfig', 'variables: { B: B, C: C }'),
    document('SysctlConfig', 'params: { vm.swappiness: 1 }'),
    document('SysfsConfig', 'params: { x/y: z }'),
    document('KernelModuleConfig', 'name: dummy\nparameters: [n=2]'),
    document('KernelModuleConfig', 'name: nbd'),
    document('KubeSpanConfig', 'mtu: 1300'),
    document('KubeClusterConfig', 'clusterName: beta\nendpoint: https://beta:6443'),
    document('KubeNodeConfig', 'nodeIP: {}\ntaints: { x: NoExecute }'),
    document('DiscoveryServiceConfig', 'name: other\nendpoint: https://other/'),
    document('DiscoveryIdentityConfig', 'clusterID: other\nclusterSecret: other'),
    document('UdevRulesConfig', 'rules: []'),
    document('UnattendedInstallConfig', 'provisioning: { diskSelector: { match: "true" } }'),
    document('VLANConfig', 'name: v1\nvlanID: 1\nparent: eth0'),
  );
  assert.deepEqual(
    pick(
      config,
      'hostname',
      'resolvers',
      'hostDNS',
      'time',
      'staticHosts',
      'environment',
      'sysctls',
      'sysfs',
      'kernelModules',
      'kubeSpan',
      'node',
      'udevRules',
      'install',
      'usesDefaultDhcp',
    ),
    {
      hostname: { auto: 'off', hostname: 'beta.example' },
      resolvers: {
        nameServers: [{ address: '1.0.0.1', protocol: 'DoT', tlsServerName: 'one' }],
        searchDomains: [],
        disableSearchDomain: true,
      },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true, resolveMemberNames: false },
      time: { disabled: false, servers: ['/dev/ptp0'], useNTS: false, bootTimeoutMs: 500 },
      staticHosts: [
        { address: '10.0.0.9', hostnames: ['nine', 'ix'] },
        { address: '10.0.0.8', hostnames: ['eight'] },
      ],
      environment: { A: 'a', B: 'B', C: 'C' },
      sysctls: { 'net.ipv4.ip_forward': '1', 'vm.swappiness': '1' },
      sysfs: { 'a/b': 'c', 'x/y': 'z' },
      kernelModules: [
        { name: 'dummy', parameters: ['n=2'] },
        { name: 'loop', parameters: [] },
        { name: 'nbd', parameters: [] },
      ],
      kubeSpan: { enabled: false },
      node: {
        labels: {},
        annotations: {},
        taints: [{ key: 'x', value: '', effect: 'NoExecute' }],
        validSubnets: [],
        skipRegistration: false,
        registerWithFQDN: false,
      },
      udevRules: [],
      install: {
        ...{ isUnattended: true, disk: '', diskSelector: 'true', image: '', wipe: undefined },
        ...{ extraKernelArgs: [], usesImageArguments: true, marksMbr: false, reboots: undefined },
      },
      usesDefaultDhcp: false,
    },
  );
  assert.deepEqual(
    [config.cluster.name, config.cluster.endpoint, config.cluster.id, config.discovery.services[0]?.name],
    ['beta', 'https://beta:6443', 'cluster-id', 'default'],
  );
});

test('effectiveConfig() reads host DNS from ResolverConfig only if hostDNS is enabled in that document', () => {
  const resolver = (body: string) => of(legacy, document('ResolverConfig', `hostDNS: ${body}`)).hostDNS;
  assert.deepEqual(resolver('{ enabled: false }').enabled, true);
  assert.deepEqual(resolver('{ enabled: true, resolveMemberNames: true }'), {
    enabled: true,
    forwardKubeDNSToHost: false,
    resolveMemberNames: true,
  });
});

test('effectiveConfig() reads documents without the v1alpha1 document', () => {
  const config = of(
    document('DiscoveryServiceConfig', 'name: b\nendpoint: https://b/'),
    document('DiscoveryServiceConfig', 'name: a\nendpoint: grpc://a/'),
    document('DiscoveryIdentityConfig', 'clusterID: id\nclusterSecret: secret'),
    document('KmsgLogConfig', 'name: k\nurl: udp://10.0.0.5:514'),
    document('EventSinkConfig', 'endpoint: "10.0.0.6:4000"'),
    document('WatchdogTimerConfig', 'device: /dev/watchdog0'),
    document('ZswapConfig', 'shrinkerEnabled: true'),
    document('KubePrismConfig', 'port: 7445\ntlsServerName: x'),
    document(
      'ExtensionServiceConfig',
      'name: e\nconfigFiles: [{ content: c, mountPath: /m }]\nenvironment: [A=b]',
    ),
    document('TrustedRootsConfig', 'name: r\ncertificates: pem'),
    document('SecurityProfileConfig', 'workloadIsolation: true'),
  );
  assert.deepEqual(
    pick(
      config,
      'isComplete',
      'machineType',
      'issuingCA',
      'discovery',
      'kernelLogDestinations',
      'eventSink',
      'watchdog',
      'zswap',
      'kubePrism',
      'extensionServices',
      'trustedRoots',
      'workloadIsolation',
    ),
    {
      isComplete: false,
      machineType: 'unknown',
      issuingCA: undefined,
      discovery: {
        enabled: true,
        kubernetesEnabled: false,
        serviceEnabled: true,
        services: [
          { name: 'b', endpoint: 'https://b/' },
          { name: 'a', endpoint: 'grpc://a/' },
        ],
      },
      kernelLogDestinations: [{ name: 'k', url: 'udp://10.0.0.5:514' }],
      eventSink: '10.0.0.6:4000',
      watchdog: { device: '/dev/watchdog0', timeoutMs: 60_000 },
      zswap: { maxPoolPercent: 20, shrinkerEnabled: true },
      kubePrism: { enabled: true, port: 7445, tlsServerName: 'x' },
      extensionServices: [{ name: 'e', files: [{ content: 'c', mountPath: '/m' }], environment: ['A=b'] }],
      trustedRoots: [{ name: 'r', certificates: 'pem' }],
      workloadIsolation: true,
    },
  );
  assert.deepEqual([config.cluster.id, config.cluster.secret], ['id', 'secret']);
});

test('effectiveConfig() accepts every spelling of the machine type', () => {
  const rows = ['init', 'controlplane', 'worker', 'join', '', 'toString', 'Worker'];
  assert.deepEqual(
    rows.map((type) => of(`machine: { type: "${type}" }`).machineType),
    ['init', 'controlplane', 'worker', 'worker', 'worker', 'unknown', 'unknown'],
  );
});

test('effectiveConfig() rejects a value that is not PEM with its position and key, without quoting it', () => {
  const text = `# a comment\n---\nmachine:\n  acceptedCAs:\n    - crt: ${base64(certificate)}\n    - crt: topsecret\n`;
  assert.throws(() => of(text), {
    kind: 'invalid-argument',
    message:
      'machine configuration: document 1, line 6, column 12: machine.acceptedCAs[1].crt must be base64-encoded PEM',
  });
});
