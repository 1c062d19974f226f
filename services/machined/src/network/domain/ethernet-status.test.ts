import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethernetStatusOf } from './ethernet-status.ts';

const state = { hasLink: true, speedMbit: 1000, duplex: 1, port: 5 };
const noRings = {
  ...{ rxMax: undefined, rxMiniMax: undefined, rxJumboMax: undefined, txMax: undefined, rx: undefined },
  ...{ rxMini: undefined, rxJumbo: undefined, tx: undefined, rxBufferBytes: undefined, txPush: undefined },
  ...{ tcpDataSplit: undefined, completionBytes: undefined, rxPush: undefined },
  ...{ txPushBufferBytes: undefined, txPushBufferMax: undefined },
};

test('a device has the texts of ethtool for its features, and what its driver reports', () => {
  const status = ethernetStatusOf({
    state,
    features: new Map([
      ['rx-gro', { isOn: true, isWanted: true, isFixed: false }],
      ['rx-lro', { isOn: false, isWanted: false, isFixed: true }],
      ['tx-tcp-segmentation', { isOn: false, isWanted: true, isFixed: false }],
      ['loopback', { isOn: true, isWanted: false, isFixed: false }],
    ]),
    settings: {
      modes: { own: ['1000baseT/Full'], peer: ['100baseT/Full'] },
      rings: { ...noRings, rxMax: 4096, rx: 512, txPush: 0, tcpDataSplit: 2 },
      channels: undefined,
      wakeOnLan: 0x20 | 0x2,
    },
  });
  const { rings, ...rest } = status;
  assert.deepEqual(rest, {
    ...{ linkState: true, speedMbit: 1000, port: 'DirectAttach', duplex: 'Full' },
    ...{ ourModes: ['1000baseT/Full'], peerModes: ['100baseT/Full'], channels: undefined },
    features: [
      { name: 'rx-gro', status: 'on' },
      { name: 'rx-lro', status: 'off [fixed]' },
      { name: 'tx-tcp-segmentation', status: 'off [requested on]' },
      { name: 'loopback', status: 'on [requested off]' },
    ],
    wakeOnLAN: ['unicast', 'magic'],
  });
  assert.deepEqual(
    [rings?.['rx-max'], rings?.rx, rings?.['tx-push'], rings?.['tcp-data-split']],
    [4096, 512, false, true],
  );
});

test('a device whose driver reports nothing has a status', () => {
  const unknown = { hasLink: undefined, speedMbit: undefined, duplex: undefined, port: undefined };
  assert.deepEqual(ethernetStatusOf({ state: unknown, settings: undefined, features: undefined }), {
    ...{ linkState: undefined, speedMbit: 0, port: 'Other', duplex: 'Unknown', ourModes: [], peerModes: [] },
    ...{ rings: undefined, features: [], channels: undefined, wakeOnLAN: [] },
  });
});
