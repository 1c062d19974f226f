// talosctl get --explain, against a node of ours, and one that publishes no explanations, as those of upstream.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { type MemoryState, pointerTo } from '@nodewright/state';
import {
  addressSpecs,
  addressStatuses,
  linkSpecs,
  linkStatuses,
  specExplanations,
} from '@nodewright/state/kinds';
import { healthyCluster } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const status = (linkName: string, address: string) => ({
  ...pointerTo(addressStatuses, `${linkName}/${address}`),
  spec: {
    ...{ address, linkName, local: '', broadcast: '', anycast: '', multicast: '', linkIndex: 2 },
    ...{ family: 'inet4' as const, scope: 'global' as const, flags: [], priority: 0 },
  },
});
const spec = (linkName: string, address: string) => ({
  ...pointerTo(addressSpecs, `${linkName}/${address}`),
  spec: {
    ...{ address, linkName, family: 'inet4' as const, scope: 'global' as const, flags: [] },
    ...{ announceWithARP: false, priority: 0, layer: 'configuration' as const },
  },
});
const explanation = {
  ...pointerTo(specExplanations, 'addresses'),
  spec: {
    ...{ unmanaged: '', omitted: 3, problems: ['DHCP on eth1: no answer\u001b[2J'] },
    specs: [
      {
        ...{
          id: 'eth0/10.0.0.2/24',
          layer: 'configuration' as const,
          statusId: 'eth0/10.0.0.2/24',
          reason: '',
        },
        sources: [
          { layer: 'configuration' as const, source: 'LinkConfig eth0' },
          { layer: 'cmdline' as const, source: "kernel's command line" },
        ],
      },
      {
        ...{ id: 'eth9.5/10.5.0.2/24', layer: 'configuration' as const, statusId: '' },
        ...{ reason: 'the link eth9.5 is not made yet\n', sources: [] },
      },
    ],
  },
};
const kinds = [addressStatuses, addressSpecs, linkStatuses, specExplanations];
const upstreamKinds = [addressStatuses, addressSpecs, linkStatuses, linkSpecs];
const stores: Record<string, MemoryState> = {
  node01: await openNodeStore(kinds, [
    status('eth0', '10.0.0.2/24'),
    status('cni0', '10.244.0.1/24'),
    explanation,
  ]),
  node02: await openNodeStore(upstreamKinds, [
    ...[status('eth0', '10.0.0.3/24'), status('cni0', '10.244.1.1/24')],
    ...[spec('eth0', '10.0.0.3/24'), spec('eth7', '10.7.0.3/24')],
  ]),
};
const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers([...kinds, linkSpecs], (node = '') => {
    const store = stores[node];
    if (store === undefined) throw new Fault('permission-denied', 'not authorized');
    return store;
  }),
});

test('get --explain shows layers, sources and reasons, and what has no specification', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'get', 'addresses', '--explain');
  assert.equal(exitCode, 0);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd().split(/ {3,}/)),
    [
      ['NODE', 'ID', 'LAYER', 'SOURCES', 'STATE', 'REASON'],
      [
        ...['node01', 'eth0/10.0.0.2/24', 'configuration'],
        ...["LinkConfig eth0, kernel's command line (cmdline)", 'applied'],
      ],
      ['node01', 'eth9.5/10.5.0.2/24', 'configuration', 'not applied', 'the link eth9.5 is not made yet'],
      ['node01', 'cni0/10.244.0.1/24', 'no specification'],
    ],
  );
  assert.match(stderr, /^node01: DHCP on eth1: no answer\\u001b\[2J$/m);
  assert.match(stderr, /^node01: 3 more specifications are left out$/m);
});

test('get --explain prints a document, and one specification by its id', async () => {
  const { stdout } = await suite.run(
    ...['-n', 'node01', 'get', 'addresses', 'eth9.5/10.5.0.2/24', '--explain', '-o', 'json'],
  );
  assert.deepEqual(JSON.parse(stdout), [
    {
      ...{ node: 'node01', id: 'eth9.5/10.5.0.2/24', layer: 'configuration', sources: [] },
      ...{ state: 'not applied', reason: 'the link eth9.5 is not made yet\n' },
    },
  ]);
  const missing = await suite.run('-n', 'node01', 'get', 'addresses', 'eth5/10.0.0.1/8', '--explain');
  assert.equal(missing.exitCode, 1);
  assert.match(missing.stderr, /there is neither a specification nor a status "eth5\/10\.0\.0\.1\/8"/);
});

test('get --explain says what a node does not tell', async () => {
  const { stdout, stderr } = await suite.run('-n', 'node02', 'get', 'addresses', '--explain', '-o', 'json');
  assert.match(stderr, /^node02: this node does not say where specifications come from, nor why/m);
  const rows = JSON.parse(stdout) as { id: string; layer: string; state: string; reason: string }[];
  assert.deepEqual(
    rows.map(({ id, layer, state, reason }) => [id, layer, state, reason]),
    [
      ['eth0/10.0.0.3/24', 'configuration', 'applied', ''],
      [
        ...['eth7/10.7.0.3/24', 'configuration', 'unknown'],
        'the kernel has nothing with this id; the node does not say why',
      ],
      ['cni0/10.244.1.1/24', '', 'no specification', ''],
    ],
  );
});

test('get without --explain is unchanged, and --explain is only for links, addresses and routes', async () => {
  const plain = await suite.run('-n', 'node01', 'get', 'addresses');
  assert.match(plain.stdout, /^NODE +NAMESPACE +TYPE +ID +VERSION +ADDRESS +LINK$/m);
  for (const [words, message] of [
    [['addressspecs', '--explain'], /only links, addresses and routes can be explained/],
    [['addresses', '--explain', '-w'], /--explain and --watch exclude each other/],
    [['addresses', '--explain', '-o', 'jsonpath={.id}'], /has the formats table, wide, json, yaml and name/],
  ] as const) {
    const { stderr, exitCode } = await suite.run('-n', 'node01', 'get', ...words);
    assert.match(stderr, message);
    assert.notEqual(exitCode, 0);
  }
});
