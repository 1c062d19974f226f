// Documents whose verdict differs between readers of this format. Source: Talos v1.14: machine configuration,
// decoding rules and scalar forms; where Talos v1.13 has the field, its talosctl gives the same verdict.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { documentText, verdict } from './sample-validation.ts';

const disk = 'provisioning: { diskSelector: { match: system_disk }, minSize: 1GiB }';
const storage = 'provisioning: { volumeGroup: g, maxSize: 1GiB }';
const volume = 'provisioning: { volumeSelector: { match: "true" } }';
const bond = 'name: b\nlinks: [a]\nbondMode: active-backup';

type Sample = readonly [kind: string, body: string];

function isRefused([kind, body]: Sample): boolean {
  try {
    const { errors } = verdict([documentText(kind, body)]);
    return errors.some((error) => error.startsWith(kind));
  } catch {
    return true;
  }
}

/** Asserts that each document is accepted, and refused when the field is added to it. */
function assertRefused(rows: readonly (readonly [kind: string, body: string, field: string])[]): void {
  for (const [kind, body, field] of rows) {
    assert.equal(isRefused([kind, body]), false, `${kind} without the field:\n${body}`);
    assert.equal(isRefused([kind, `${body}\n${field}`]), true, `${kind} with the field:\n${body}\n${field}`);
  }
}

test('a choice between words is refused when it is given and empty', () => {
  assertRefused([
    ['NetworkDefaultActionConfig', '', 'ingress: ""'],
    ['HostnameConfig', 'hostname: a', 'auto: ""'],
    ['UserVolumeConfig', `name: a\n${disk}`, 'volumeType: ""'],
    ['UserVolumeConfig', `name: a\n${disk}`, 'filesystem: { type: "" }'],
    ['BondConfig', bond, 'lacpRate: ""'],
    ['BondConfig', bond, 'xmitHashPolicy: ""'],
    ['BondConfig', bond, 'primaryReselect: ""'],
    ['VLANConfig', 'name: v\nvlanID: 5\nparent: a', 'vlanMode: ""'],
    ['RoutingRuleConfig', 'name: "1000"\naction: blackhole', 'table: ""'],
    ['LVMLogicalVolumeConfig', `name: l\n${storage}`, 'type: ""'],
    ['RAIDArrayConfig', `name: m\n${volume}`, 'metadata: ""'],
    ['DHCPv4Config', 'name: a', 'clientIdentifier: ""'],
    ['DHCPv6Config', 'name: a', 'clientIdentifier: ""'],
  ]);
  const rule = (selector: string) => `name: r\nportSelector: { ports: [80], ${selector} }`;
  assert.equal(isRefused(['NetworkRuleConfig', rule('protocol: tcp')]), false);
  assert.equal(isRefused(['NetworkRuleConfig', rule('protocol: ""')]), true);
});

test('a choice between words that is absent is encoded as the word that it means', () => {
  const encoded = (kind: string, body: string) =>
    encodeConfiguration(loadConfiguration(documentText(kind, body)));
  assert.match(encoded('NetworkDefaultActionConfig', ''), /^ingress: accept$/m);
  assert.match(encoded('RAIDArrayConfig', `name: m\n${volume}`), /^level: raid1$/m);
  assert.match(encoded('LVMLogicalVolumeConfig', `name: l\n${storage}`), /^type: linear$/m);
  assert.match(encoded('ExternalVolumeConfig', 'name: e'), /^filesystemType: none$/m);
  const keys = 'encryption: { keys: [{ slot: 0, nodeID: {} }] }';
  assert.match(encoded('UserVolumeConfig', `name: a\n${disk}\n${keys}`), /^ +provider: none$/m);
  assert.equal(isRefused(['UserVolumeConfig', `name: a\n${disk}\n${keys}`]), true);
  assert.equal(isRefused(['UserVolumeConfig', `name: a\n${disk}\nencryption: { provider: none }`]), false);
});

test('values outside of their range are refused', () => {
  const flannel = 'backendType: vxlan';
  const container = `name: c\nimage: registry.example.org/c@sha256:${'0'.repeat(64)}`;
  const network = 'podSubnets: [10.244.0.0/16]\nserviceSubnets: [10.96.0.0/12]';
  assertRefused([
    ['KubeFlannelCNIConfig', flannel, 'backendPort: 65536'],
    ['KubeFlannelCNIConfig', flannel, 'backendMTU: 4294967296'],
    ['ContainerConfig', container, 'runAs: { uid: 2147483648 }'],
    ['ContainerConfig', container, 'runAs: { gid: 2147483648 }'],
    ['KubeSpanConfig', '', 'mtu: 1279'],
    ['KubeSpanConfig', '', 'mtu: 0'],
    ['DummyLinkConfig', 'name: d', 'hardwareAddr: 1-2'],
    ['LVMLogicalVolumeConfig', `name: l\ntype: raid0\n${storage}`, 'stripes: 1'],
    ['LVMLogicalVolumeConfig', `name: l\ntype: raid0\n${storage}`, 'stripes: 0'],
    ['KubeNetworkConfig', network, 'dnsDomain: "-1"'],
    ['EthernetConfig', 'name: e', 'wakeOnLan: [arp]'],
    ['EthernetConfig', 'name: e', 'wakeOnLan: [""]'],
  ]);
  for (const [kind, body] of [
    ['KubeFlannelCNIConfig', `${flannel}\nbackendPort: 65535\nbackendMTU: 4294967295`],
    ['ContainerConfig', `${container}\nrunAs: { uid: 2147483647, gid: 2147483647 }`],
    ['KubeSpanConfig', 'mtu: 1280'],
    ['LVMLogicalVolumeConfig', `name: l\ntype: raid0\nstripes: 2\n${storage}`],
    [
      'EthernetConfig',
      'name: e\nwakeOnLan: [Phy, unicast, multicast, broadcast, magic, magicsecure, filter]',
    ],
    ['VRFConfig', 'name: v\ntable: 17'],
    ['LinkConfig', 'name: l\nroutes: [{ table: Main }]'],
  ] as const)
    assert.equal(isRefused([kind, body]), false, `${kind}\n${body}`);
  for (const table of ['017', '08', '0', '253', '256', '""', 'Local', 'UNSPEC'])
    assert.equal(isRefused(['VRFConfig', `name: v\ntable: ${table}`]), true, table);
});

test('unusual documents that Talos accepts are accepted', () => {
  for (const [kind, body] of [
    [
      'UserVolumeConfig',
      `name: a\n${disk}\nencryption: { provider: luks2, cipher: any text, keys: [{ slot: 0, nodeID: {} }] }`,
    ],
    ['LinkConfig', 'name: l\nroutes: [{}, { metric: 5 }]'],
    ['CRICustomizationConfig', 'name: c'],
    ['TCPProbeConfig', 'name: p\nendpoint: example.org'],
  ] as const)
    assert.equal(isRefused([kind, body]), false, `${kind}\n${body}`);
  assert.equal(isRefused(['TCPProbeConfig', 'name: p']), true);
});
