import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkFeature } from '@nodewright/linux/network';
import { ConfigReader } from '@nodewright/machine-config';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import { ethernetSpecsOf } from './ethernet-documents.ts';
import { describeStep } from './network-step.ts';
import {
  maxEthernetSpecs,
  maxFeatures,
  noFeatureMemory,
  planFeatures,
  type WantedFeatures,
} from './plan-features.ts';

const links = [fakeLink(2, 'eth0', { alias: 'net0', altNames: ['enp2s0'] }), fakeLink(3, 'eth1')];
const on: LinkFeature = { isOn: true, isWanted: true, isFixed: false };
const off: LinkFeature = { isOn: false, isWanted: false, isFixed: false };
const features = new Map([
  ['tx-scatter-gather', on],
  ['rx-gro', off],
  ['rx-lro', { ...off, isFixed: true }],
  ['tx-tcp-segmentation', { ...off, isWanted: true }],
]);

function planOf(wanted: Readonly<Record<string, WantedFeatures>>, before = noFeatureMemory) {
  const plan = planFeatures({
    ...{ wanted: new Map(Object.entries(wanted)), before, links },
    featuresOf: ({ name }) => (name === 'eth0' ? features : undefined),
  });
  return { ...plan, steps: plan.steps.map(describeStep) };
}

test('features that differ are switched in one step, and what they were is remembered', () => {
  const { steps, waiting, owned } = planOf({ eth0: { 'tx-scatter-gather': false, 'rx-gro': true } });
  assert.deepEqual(steps, ['change-features eth0 tx-scatter-gather off, rx-gro on']);
  assert.deepEqual(waiting, []);
  assert.deepEqual(
    owned,
    new Map([
      [
        2,
        new Map([
          ['tx-scatter-gather', true],
          ['rx-gro', false],
        ]),
      ],
    ]),
  );
});

test('a feature that is not named any more becomes what it was, and a link that was removed is forgotten', () => {
  const before = new Map([
    [
      2,
      new Map([
        ['rx-gro', true],
        ['tx-scatter-gather', true],
        ['gone', true],
      ]),
    ],
    [9, new Map([['rx-gro', true]])],
  ]);
  const { steps, owned } = planOf({}, before);
  assert.deepEqual(steps, ['change-features eth0 rx-gro on']);
  assert.deepEqual(owned, new Map([[2, new Map([['rx-gro', true]])]]));
});

test('a link may be named by its alias and its alternative name, and the later document counts', () => {
  const { steps } = planOf({
    enp2s0: { 'rx-gro': true },
    net0: { 'rx-gro': false, 'tx-scatter-gather': false },
  });
  assert.deepEqual(steps, ['change-features eth0 tx-scatter-gather off']);
});

test('what a device does not have, cannot change or does not do is said, and the rest is done', () => {
  const { steps, waiting } = planOf({
    eth0: { 'rx-lro': true, 'tx-tcp-segmentation': true, tso: false, 'rx-gro': true },
    eth1: { 'rx-gro': true },
    eth9: { 'rx-gro': true },
    eth8: {},
  });
  assert.deepEqual(steps, ['change-features eth0 rx-gro on']);
  assert.deepEqual(waiting, [
    'features of eth9: there is no such network device',
    'link eth0: it has no feature tso',
    'link eth0: it cannot change the feature rx-lro',
    'link eth0: it was asked, and does not change the feature tx-tcp-segmentation',
    'link eth1: its features cannot be read',
  ]);
  assert.deepEqual(planOf({ eth0: { 'rx-lro': false } }).waiting, []);
});

test('thousands of features and documents, and names of any length, make short problems and one step', () => {
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`f${index}\n${'x'.repeat(300)}`, true]),
  );
  const { steps, waiting } = planOf({ eth0: many });
  assert.deepEqual(steps, []);
  assert.equal(waiting[0], `of 5000 features of eth0 only ${maxFeatures} are applied`);
  assert.match(waiting[1] ?? '', /^link eth0: it has no feature "f0\\nx{36,40}\.\.\.", .* and 124 more$/);
  assert.ok(waiting.join('').length < 600);
  const documents = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [`n${index}`, { 'rx-gro': true }]),
  );
  assert.equal(planOf(documents).waiting.length, maxEthernetSpecs + 1);
});

test('each field of EthernetConfig reaches the specification, and an old word for waking the machine does not', () => {
  const value = {
    name: 'eth0',
    features: { 'rx-gro': true, 'tx-scatter-gather': false },
    rings: {
      ...{ rx: 1, tx: 2, 'rx-mini': 3, 'rx-jumbo': 4, 'rx-buf-len': 5, 'cqe-size': 6, 'tx-push': true },
      ...{ 'rx-push': false, 'tx-push-buf-len': 7, 'tcp-data-split': true },
    },
    channels: { rx: 1, tx: 2, other: 3, combined: 4 },
    wakeOnLan: ['magic', 'arp', 'unicast'],
  };
  const { name: id, ...spec } = { ...value, wakeOnLan: ['unicast', 'magic'] };
  assert.deepEqual(ethernetSpecsOf(new ConfigReader([{ kind: 'EthernetConfig', value }])), [{ id, spec }]);
});
