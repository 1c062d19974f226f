// Configurations that older releases accepted and wrote. A node that starts with one must find its configuration.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, putResource } from '@nodewright/state';
import { acquireConfigSpecs, maintenanceServiceRequests } from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import { worlds } from '../../base/domain/world.ts';
import { createConfigurationExaminer } from '../host/configuration-examiner.ts';
import { createAcquireController } from './acquire.ts';
import { ConfigurationKeeper } from './configuration-keeper.ts';

const pem = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
const legacy = `machine: { type: worker, ca: { crt: ${pem} } }
cluster: { id: a, secret: ${Buffer.alloc(32).toString('base64')}, discovery: { enabled: true } }
---
apiVersion: v1alpha1
kind: ResolverConfig
hostDNS: { enabled: true, forwardKubeDNSToHost: true }
`;
const complete = (kind: string, body: string) =>
  `${legacy}---\napiVersion: v1alpha1\nkind: ${kind}\n${body}\n`;

const lvm = 'name: l\nprovisioning: { volumeGroup: g, maxSize: 1GiB }';
const oldForms: readonly (readonly [kind: string, body: string])[] = [
  ['NetworkDefaultActionConfig', 'ingress: ""'],
  [
    'NetworkRuleConfig',
    'name: r\nportSelector: { ports: [80], protocol: "" }\ningress: [{ subnet: 10.0.0.0/8 }]',
  ],
  ['LVMLogicalVolumeConfig', `${lvm}\ntype: ""`],
  ['LVMLogicalVolumeConfig', `${lvm}\nstripes: 0`],
  ['VolumeConfig', 'name: STATE\nencryption: { provider: "", keys: [] }'],
  ...['"254"', '255', '"017"', '"0"'].map(
    (table) => ['LinkConfig', `name: eth0\nroutes: [{ gateway: 10.0.0.1, table: ${table} }]`] as const,
  ),
  ['LinkConfig', 'name: eth0\nroutes: [{ gateway: 10.0.0.1, table: "" }]'],
  ...['254', '255'].map((table) => ['RoutingRuleConfig', `name: "1000"\ntable: "${table}"`] as const),
  ['EthernetConfig', 'name: eth0\nwakeOnLan: [arp]'],
  ['BondConfig', 'name: b\nlinks: [a]\nbondMode: active-backup\nhardwareAddr: 02-ab-00-00-00-01'],
  ['KubeSpanConfig', 'enabled: true\nmtu: 0'],
];

/** Starts a node whose disk has the text, and says whether it runs with it, and of what it warned. */
async function startWith(text: string) {
  await using rig = openTestRuntime();
  const keeper = new ConfigurationKeeper(rig.state, rig.timers, { async store() {} });
  rig.runtime.register(
    createAcquireController({
      sources: [{ name: 'STATE', isStored: true, load: async () => text }],
      keeper,
      examiner: createConfigurationExaminer(worlds.process),
      events: { publish() {} },
    }),
  );
  await putResource(rig.state, { ...pointerTo(acquireConfigSpecs), spec: {} });
  await rig.settled();
  const isMaintenance = (await rig.state.list(maintenanceServiceRequests)).length > 0;
  const read = await configurationOf({ get: async (pointer) => rig.state.get(pointer) }).catch(
    () => undefined,
  );
  const warnings = rig.logged.filter(({ level }) => level === 'warn').map(({ warning }) => String(warning));
  return { isRunning: !isMaintenance && read?.text === text, warnings };
}

test('a call with nothing but the rest of these configurations is accepted', async () => {
  const examined = await createConfigurationExaminer(worlds.process).examine({ text: legacy, isCall: true });
  assert.equal(examined.refusal, undefined);
});

for (const [kind, body] of oldForms) {
  const text = complete(kind, body);
  const label = `${kind} ${body.replaceAll('\n', ', ')}`;
  test(`a node starts with the stored old form ${label}, and refuses it in a call`, async () => {
    assert.equal((await startWith(text)).isRunning, true);
    const examiner = createConfigurationExaminer(worlds.process);
    const call = await examiner
      .examine({ text, isCall: true })
      .catch((error: Error) => ({ refusal: error.message }));
    assert.match(String(call.refusal), new RegExp(kind));
  });
}

test('a node warns of what a rule refuses in its stored configuration', async () => {
  const { isRunning, warnings } = await startWith(complete('KubeSpanConfig', 'enabled: true\nmtu: 0'));
  assert.equal(isRunning, true);
  const accepted = complete('KubeSpanConfig', 'enabled: true\nmtu: 0').replace(
    `ca: { crt: ${pem} }`,
    'acceptedCAs: [{ crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t }]',
  );
  assert.equal((await startWith(accepted)).isRunning, true);
  assert.match(warnings.join('\n'), /^1 error occurred:\n\t\* KubeSpanConfig: mtu must be at least 1280/);
});

test('a stored configuration without what clients need to reach the node leaves it in maintenance', async () => {
  const bad = '---\napiVersion: v1alpha1\nkind: KubeSpanConfig\nenabled: true\nmtu: 0\n';
  for (const text of [
    'machine: { type: laptop }\n',
    `machine: { type: worker }\n${bad}`,
    legacy.replace(pem, 'x'),
  ])
    assert.equal((await startWith(text)).isRunning, false, text);
});
