import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentText, verdict } from './sample-validation.ts';
import type { ValidateOptions } from './validate-configuration.ts';

/** The errors (`!`) and warnings (`?`) about the v1alpha1 document. */
function findings(text: string, options: Partial<ValidateOptions> = {}): string[] {
  const { warnings, errors } = verdict([text], options);
  const own = errors.find((error) => error.startsWith('v1alpha1.Config: ')) ?? '';
  const lines = own.split('\n').flatMap((line) => (line.startsWith('\t* ') ? [`!${line.slice(3)}`] : []));
  return [...lines, ...warnings.map((line) => `?${line}`)];
}

const key32 = Buffer.alloc(32).toString('base64');
const crt = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
const controlPlane = (machine: string, cluster = '') =>
  `machine:\n  type: controlplane\n  ca: { crt: ${crt}, key: ${crt} }\n${machine}\ncluster:\n  clusterName: a\n${cluster}\n`;
const worker = (machine: string, cluster = '') =>
  `machine:\n  type: worker\n  ca: { crt: ${crt} }\n${machine}\ncluster:\n  clusterName: a\n${cluster}\n`;

function check(rows: readonly (readonly [text: string, ...findings: string[]])[]): void {
  for (const [text, ...expected] of rows) assert.deepEqual(findings(text), expected, text);
}

test('validation checks required fields of the v1alpha1 document', () => {
  check([
    ['cluster: {}', '!machine is required'],
    [`machine: { type: worker, ca: { crt: ${crt} } }`, '!cluster is required'],
    [controlPlane('')],
    [worker('')],
    [
      'machine: { type: controlplane }\ncluster: {}',
      '!machine.ca is required, or one of acceptedCAs',
      '!machine.ca.crt is required on a control plane',
    ],
    [
      `machine: { type: controlplane, ca: { crt: ${crt} } }\ncluster: {}`,
      '!machine.ca.key is required on a control plane',
    ],
    [
      `persist: false\nmachine: { type: other, ca: { crt: ${crt} } }\ncluster: {}`,
      '!persist must not be false',
      '!machine.type must be "controlplane" or "worker"',
    ],
    [
      `machine: { acceptedCAs: [{ crt: ${crt} }], ca: { key: ${crt} } }\ncluster: {}`,
      '!machine.ca.key is not allowed on a worker',
      '?machine.type should be "worker"',
    ],
    [
      worker(
        '  network: { interfaces: [{ interface: e, vip: { ip: 1.1.1.1 }, vlans: [{ vip: { ip: 1.1.1.2 } }] }] }',
      ),
      '!machine.network.interfaces[0].vip is for control planes only',
      '!machine.network.interfaces[0].vlans[0].vip is for control planes only',
    ],
  ]);
});

test('validation refuses certificates and keys that a node cannot decode, and does not show them', () => {
  const text = 'bmV3';
  check([
    [
      `machine: { type: worker, ca: { crt: garbage! } }\ncluster: {}`,
      '!machine.ca.crt must be base64-encoded PEM',
    ],
    // Its last two characters were lost.
    [
      `machine: { type: worker, ca: { crt: ${crt.slice(0, -2)} } }\ncluster: {}`,
      '!machine.ca.crt must be base64-encoded PEM',
    ],
    [
      worker(`  acceptedCAs: [{ crt: ${crt} }, { crt: ${text} }]`),
      '!machine.acceptedCAs[1].crt must be base64-encoded PEM',
    ],
    [
      controlPlane(
        '',
        `  ca: { crt: ${text}, key: ${text} }\n  aggregatorCA: { crt: ${crt}, key: ${text} }\n  serviceAccount: { key: ${text} }\n  etcd: { ca: { crt: ${text}, key: ${crt} } }\n  acceptedCAs: [{ crt: ${text} }]`,
      ),
      '!cluster.ca.crt must be base64-encoded PEM',
      '!cluster.ca.key must be base64-encoded PEM',
      '!cluster.aggregatorCA.key must be base64-encoded PEM',
      '!cluster.serviceAccount.key must be base64-encoded PEM',
      '!cluster.etcd.ca.crt must be base64-encoded PEM',
      '!cluster.acceptedCAs[0].crt must be base64-encoded PEM',
    ],
  ]);
});

test('validation checks cluster in the v1alpha1 document', () => {
  check([
    [
      controlPlane('', '  controlPlane: {}\n  network: { dnsDomain: "a b" }'),
      '!cluster.controlPlane.endpoint is required',
    ],
    [
      controlPlane('', '  controlPlane: { endpoint: host }\n  network: { dnsDomain: "a b" }'),
      '!cluster.controlPlane.endpoint must be a URL with scheme and host',
      '!cluster.network.dnsDomain must be a DNS name',
    ],
    [
      controlPlane('', '  externalCloudProvider: { manifests: [x] }'),
      '!cluster.externalCloudProvider.manifests needs externalCloudProvider.enabled',
    ],
    [
      controlPlane('', '  externalCloudProvider: { enabled: true, manifests: [x, https://y/z] }'),
      '!cluster.externalCloudProvider.manifests[0] must be a URL with scheme and host',
    ],
    [
      controlPlane('', '  externalCloudProvider: { enabled: true, manifests: ["https:///z"] }'),
      '!cluster.externalCloudProvider.manifests[0] must be a URL with scheme and host',
    ],
    [
      worker('', `  etcd: {}\n  ca: { key: ${crt} }`),
      '!cluster.etcd is for control planes only',
      '!cluster.etcd.ca is required',
      '!cluster.ca.key is for control planes only',
    ],
    [controlPlane('', '  etcd: { ca: {} }')],
    [controlPlane('', '  etcd: {}'), '!cluster.etcd.ca is required'],
    [
      controlPlane(
        '',
        `  etcd: { ca: { crt: ${crt} }, subnet: 10.0.0.0/8, advertisedSubnets: ["!10.0.0.0/8", x] }`,
      ),
      '!cluster.etcd.subnet cannot be combined with advertisedSubnets',
      '!cluster.etcd.advertisedSubnets[1] must be a prefix or address, "!" negates',
    ],
    [
      controlPlane('', '  inlineManifests: [{ contents: a }, { name: n }, { name: n }]'),
      '!cluster.inlineManifests[0].name is required',
      '!cluster.inlineManifests[2].name is used twice',
    ],
    [
      controlPlane(
        '',
        '  discovery: { enabled: true, registries: { service: { endpoint: "https://a/b" } } }',
      ),
      '!cluster.discovery.registries.service.endpoint must have no path',
      '!cluster.id is required',
      '!cluster.secret is required',
    ],
    [
      controlPlane(
        '',
        '  apiServer: { extraArgs: { authorization-mode: x }, authorizationConfig: [{ type: Odd }], resources: { requests: { gpu: 1 } } }',
      ),
      '!cluster.apiServer.extraArgs.authorization-mode cannot be combined with authorizationConfig',
      '!cluster.apiServer.authorizationConfig[0].name is required',
      '!cluster.apiServer.authorizationConfig[0].type must be Node, RBAC or Webhook',
      '!cluster.apiServer.resources.requests.gpu must be cpu or memory',
    ],
    [
      controlPlane('', '  network: { cni: { name: other } }'),
      '!cluster.network.cni.name must be flannel, custom or none',
    ],
    [
      controlPlane('', '  network: { cni: { name: none, urls: [x], flannel: {} } }'),
      '!cluster.network.cni.urls cannot be combined with the name none',
      '!cluster.network.cni.flannel cannot be combined with the name none',
    ],
    [controlPlane('', '  network: { cni: { name: custom } }'), '?cluster.network.cni.urls is empty'],
    [worker('', '  network: { cni: { name: other } }')],
  ]);
});

test('validation checks machine in the v1alpha1 document', () => {
  check([
    [
      worker(`  features:
    hostDNS: { forwardKubeDNSToHost: true }
    kubernetesTalosAPIAccess: { enabled: true, allowedRoles: [x] }
    nodeAddressSortAlgorithm: v3`),
      '!machine.features.hostDNS.forwardKubeDNSToHost needs hostDNS.enabled',
      '!machine.features.kubernetesTalosAPIAccess is for control planes only',
      '!machine.features.kubernetesTalosAPIAccess.allowedRoles[0] must be one of os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator, os:image:verifier, os:meta:writer',
      '!machine.features.nodeAddressSortAlgorithm must be v1 or v2',
    ],
    [
      worker(
        '  network: { kubespan: { enabled: true, mtu: 100, filters: { endpoints: [x], excludeAdvertisedNetworks: [1.1.1.1] } } }',
      ),
      '!machine.network.kubespan.mtu must be at least 1280',
      '!machine.network.kubespan.filters.endpoints[0] must be a prefix or address, "!" negates',
      '!machine.network.kubespan.filters.excludeAdvertisedNetworks[0] must be a prefix',
    ],
    [
      worker('  disks: [{ device: /dev/sdb, partitions: [{ mountpoint: /a }, { size: 1GB }, { size: 0 }] }]'),
      '!machine.disks[0].partitions[0].size is required on every partition but the last',
    ],
    [
      worker('  kubelet: { nodeIP: { validSubnets: [x] }, extraConfig: { staticPodPath: /x } }'),
      '!machine.kubelet.nodeIP.validSubnets[0] must be a prefix or address, "!" negates',
      '!machine.kubelet.extraConfig.staticPodPath cannot be overridden',
    ],
    [
      worker(
        '  systemDiskEncryption: { state: { provider: luks2 }, ephemeral: { keys: [{ slot: 0 }, { nodeID: {} }] } }',
      ),
      '!machine.systemDiskEncryption.state.keys needs at least one key',
      '!machine.systemDiskEncryption.ephemeral.keys[0] needs one of static, nodeID, kms, tpm',
      '!machine.systemDiskEncryption.ephemeral.keys[1].slot is used twice',
    ],
    [
      worker('  logging: { destinations: [{ format: x }, { endpoint: "http://x", format: json_lines }] }'),
      '!machine.logging.destinations[0].endpoint is required',
      '!machine.logging.destinations[0].format must be json_lines',
      '!machine.logging.destinations[1].endpoint must be a URL with scheme tcp or udp and a host',
    ],
    [
      worker('  install: { extensions: [{ image: a }, { image: a }] }'),
      '!machine.install.extensions[1].image is given twice',
      '?machine.install.extensions is deprecated: use an image that contains the extensions',
    ],
    [
      worker(
        '  files: [{ path: /a, content: x }]\n  baseRuntimeSpecOverrides: { odd: 1 }\n  nodeLabels: { -: x }',
      ),
      '!machine.nodeLabels.- must be up to 63 letters, digits, "-", "_" and ".", and begin and end with a letter or digit',
      '?machine.files is deprecated: use EtcFileConfig or CRICustomizationConfig',
      '?machine.baseRuntimeSpecOverrides is deprecated: use CRIBaseRuntimeSpecConfig',
    ],
  ]);
});

test('validation checks links in the v1alpha1 document', () => {
  const at = 'machine.network.interfaces';
  const links = (...items: string[]) =>
    controlPlane(`  network:\n    interfaces:\n${items.map((item) => `      - ${item}`).join('\n')}`);
  check([
    [links('{}'), `!${at}[0] needs exactly one of interface and deviceSelector`],
    [links('{ ignore: true, cidr: x }')],
    [links('{ deviceSelector: {} }'), `!${at}[0].deviceSelector must not be empty`],
    [
      links(
        '{ interface: br0, bond: { interfaces: [a], mode: balance-rr }, bridge: { interfaces: [a] } }',
        '{ interface: a, dhcp: true, addresses: [1.1.1.1] }',
      ),
      `!${at}[0].bridge.interfaces[0] is a port of another bond or bridge`,
      `!${at}[0].bridge cannot be combined with bond`,
      `!${at}[1].dhcp is not supported on a port of a bond or bridge`,
      `!${at}[1].addresses is not supported on a port of a bond or bridge`,
    ],
    [
      links(
        '{ interface: e, cidr: 1.1.1.1/24, addresses: [x, 1.1.1.1], vip: { ip: y }, routes: [{}, { network: n, gateway: g, source: s }] }',
      ),
      `!${at}[0].cidr cannot be combined with addresses`,
      `!${at}[0].addresses[0] must be an address, with or without a prefix length`,
      `!${at}[0].vip.ip must be an address`,
      `!${at}[0].routes[0] needs network or gateway`,
      `!${at}[0].routes[1].network must be a prefix`,
      `!${at}[0].routes[1].gateway must be an address`,
      `!${at}[0].routes[1].source must be an address`,
      `?${at}[0].cidr is deprecated: use addresses`,
    ],
    [
      links(
        '{ interface: b, bond: { interfaces: [x], deviceSelectors: [{}], mode: other, xmitHashPolicy: y, updelay: 5, arpIPTarget: [z], lacpRate: fast, primary: x, packetsPerSlave: 2, tlbDynamicLb: 1 } }',
      ),
      `!${at}[0].bond.deviceSelectors cannot be combined with interfaces`,
      `!${at}[0].bond.mode must be one of balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb, balance-alb`,
      `!${at}[0].bond.xmitHashPolicy must be one of layer2, layer3+4, layer2+3, encap2+3, encap3+4`,
      `!${at}[0].bond.updelay needs miimon`,
      `!${at}[0].bond.arpIPTarget is not supported`,
      `!${at}[0].bond.lacpRate needs the mode 802.3ad`,
      `!${at}[0].bond.primary needs the mode active-backup or balance-tlb or balance-alb`,
      `!${at}[0].bond.tlbDynamicLb needs the mode balance-tlb or balance-alb`,
      `!${at}[0].bond.packetsPerSlave needs the mode balance-rr`,
    ],
    [links('{ interface: b, bond: { interfaces: [x], mode: "" } }')],
    [
      links(
        '{ interface: b, bond: { interfaces: [x], mode: 802.3ad, miimon: 100, downdelay: 150, arpInterval: 5 } }',
      ),
      `!${at}[0].bond.downdelay must be a multiple of miimon`,
      `!${at}[0].bond.arpInterval cannot be combined with the mode 802.3ad`,
    ],
    [
      links(
        '{ interface: w, wireguard: { privateKey: x, peers: [{ publicKey: y, endpoint: z, allowedIPs: [a] }] } }',
      ),
      `!${at}[0].wireguard.privateKey must be base64 of 32 bytes`,
      `!${at}[0].wireguard.peers[0].publicKey must be base64 of 32 bytes`,
      `!${at}[0].wireguard.peers[0].endpoint must be address:port`,
      `!${at}[0].wireguard.peers[0].allowedIPs[0] must be a prefix`,
    ],
    [
      links(
        `{ interface: w, wireguard: { privateKey: ${key32}, peers: [${`{ publicKey: ${key32} },`.repeat(1001)}] } }`,
      ),
      `!${at}[0].wireguard.peers must have at most 1000 entries`,
    ],
  ]);
});

test('machine.install is checked only where an installation is needed', () => {
  const text = worker(
    '  install: { diskSelector: { size: "~1GB", type: tape, name: x }, extraKernelArgs: [a], grubUseUKICmdline: true }',
  );
  const expected = [
    '!machine.install.diskSelector.size must be a size, behind one of >=, <=, >, <, ==',
    '!machine.install.diskSelector.type must be one of ssd, hdd, nvme, sd',
    '!machine.install.diskSelector.name is no longer supported',
    '!machine.install.extraKernelArgs cannot be combined with grubUseUKICmdline',
  ];
  assert.deepEqual(findings(text, { mode: 'metal' }), expected);
  assert.deepEqual(findings(worker('  install: {}'), { mode: 'metal' }), [
    '!machine.install needs disk or diskSelector',
  ]);
  assert.deepEqual(
    findings(worker('  install: { diskSelector: { size: ">= 1GB" } }'), { mode: 'metal' }),
    [],
  );
  for (const options of [
    { mode: 'cloud' },
    { mode: 'metal-agent' },
    { mode: 'container' },
    { mode: 'metal', isInstalled: true },
  ] as const)
    assert.deepEqual(findings(text, options), []);
});

test('strict turns warnings about the v1alpha1 document into errors', () => {
  const text = worker('  files: [{ path: /a }]');
  assert.deepEqual(findings(text, { strict: true }), [
    '!warning: machine.files is deprecated: use EtcFileConfig or CRICustomizationConfig',
  ]);
});

test('Kubernetes versions are checked only on nodes', () => {
  const text = controlPlane(
    '  kubelet: { image: "r/kubelet:v1.31.9" }',
    '  apiServer: { image: "r:5000/a:v1.37.0-rc.1@sha256:0" }\n  scheduler: { image: "r/s" }\n  controllerManager: { image: "r/c:vX" }',
  );
  assert.deepEqual(findings(text), []);
  assert.deepEqual(findings(text, { local: false }), [
    '!machine.kubelet.image has version 1.31 of Kubernetes: 1.32 to 1.37 are supported',
    '!cluster.controllerManager.image has a tag that is not a version',
    '!cluster.scheduler.image has no version: its tag must begin with "v"',
  ]);
});

test('Kubernetes versions in documents are checked only on nodes and for enabled components', () => {
  const kubelet = documentText('KubeletConfig', 'image: r/kubelet:v1.38.0');
  const scheduler = documentText('KubeSchedulerConfig', 'enabled: false\nimage: r/s:v1.0.0');
  assert.deepEqual(verdict([kubelet]).errors, []);
  assert.deepEqual(verdict([kubelet, scheduler], { local: false }).errors, [
    'KubeletConfig: image has version 1.38 of Kubernetes: 1.32 to 1.37 are supported',
    'only for control planes: KubeSchedulerConfig',
  ]);
});
