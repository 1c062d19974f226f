import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  HostnameSpecSpec,
  LinkSpecSpec,
  ResolverSpecSpec,
  TimeServerSpecSpec,
} from '@nodewright/state/kinds';
import { plainLink } from './link-documents.ts';
import {
  type Layer,
  mergeHighest,
  mergeHostnames,
  mergeLinks,
  mergeResolvers,
  mergeTimeServers,
} from './merge-layers.ts';

test('mergeHighest() takes the whole spec of the highest layer, the last of equals', () => {
  const merge = mergeHighest<{ id: string; layer: Layer; value: number }>(({ id }) => id);
  assert.deepEqual(
    merge([
      { id: 'a', layer: 'configuration', value: 1 },
      { id: 'a', layer: 'platform', value: 2 },
      { id: 'b', layer: 'operator', value: 3 },
      { id: 'b', layer: 'operator', value: 4 },
    ]).map(({ id, spec }) => [id, spec.value]),
    [
      ['a', 1],
      ['b', 4],
    ],
  );
});

test('mergeHostnames() takes the highest layer, the first of equals', () => {
  const name = (hostname: string, layer: Layer): HostnameSpecSpec => ({ hostname, domainname: '', layer });
  const of = (...specs: HostnameSpecSpec[]) =>
    mergeHostnames(specs).map(({ id, spec }) => [id, spec.hostname]);
  assert.deepEqual(of(), []);
  assert.deepEqual(of(name('d', 'default'), name('p', 'platform'), name('q', 'platform')), [
    ['hostname', 'p'],
  ]);
});

test('mergeTimeServers() concatenates within a layer, and a higher layer replaces lower ones', () => {
  const servers = (layer: Layer, useNTS: boolean, ...timeServers: string[]): TimeServerSpecSpec => ({
    ...{ timeServers, useNTS, layer },
  });
  assert.deepEqual(
    mergeTimeServers([
      servers('operator', true, 'b'),
      servers('default', true, 'a'),
      servers('operator', false, 'c'),
    ]).map(({ spec }) => spec),
    [servers('operator', false, 'b', 'c')],
  );
});

const resolvers = (
  layer: Layer,
  addresses: string[],
  searchDomains: string[] = [],
  overridden = false,
): ResolverSpecSpec => ({
  dnsServers: addresses,
  nameServers: addresses.map((addr) => ({ addr, protocol: 'Do53', tlsServerName: '' })),
  ...{ layer, searchDomains, searchDomainsOverridden: overridden },
});
const servedBy = (...specs: ResolverSpecSpec[]) => mergeResolvers(specs)[0]?.spec;

test('mergeResolvers() replaces lower layers per address family, and the configuration replaces all', () => {
  const base = resolvers('default', ['1.1.1.1', 'fd00::1']);
  assert.deepEqual(servedBy(base, resolvers('operator', ['10.0.0.53']))?.dnsServers, [
    '10.0.0.53',
    'fd00::1',
  ]);
  assert.deepEqual(servedBy(base, resolvers('configuration', ['10.0.0.53']))?.dnsServers, ['10.0.0.53']);
  assert.deepEqual(servedBy(base, resolvers('configuration', []))?.dnsServers, ['1.1.1.1', 'fd00::1']);
  const both = servedBy(resolvers('operator', ['a']), resolvers('operator', ['b']));
  assert.deepEqual([both?.dnsServers, both?.nameServers.length], [['a', 'b'], 2]);
});

test('mergeResolvers() concatenates search domains unless a layer overrides those below it', () => {
  const base = resolvers('default', [], ['lab']);
  assert.deepEqual(servedBy(base, resolvers('operator', [], ['dhcp', 'lab']))?.searchDomains, [
    'lab',
    'dhcp',
  ]);
  assert.deepEqual(servedBy(base, resolvers('configuration', [], ['mine'], true))?.searchDomains, ['mine']);
  assert.deepEqual(servedBy(base, resolvers('configuration', [], [], true))?.searchDomains, []);
});

const link = (layer: Layer, rest: Partial<LinkSpecSpec>): LinkSpecSpec => ({
  ...plainLink('eth0', layer),
  ...rest,
});

test('mergeLinks() takes the fields of a higher layer, and keeps those that it leaves empty', () => {
  const vlan = { vlanID: 7, vlanProtocol: '802.1q' } as const;
  assert.deepEqual(
    mergeLinks([
      link('configuration', { mtu: 9000, up: true }),
      link('platform', { mtu: 1400, kind: 'vlan', type: 'ether', vlan }),
    ]),
    [
      {
        id: 'eth0',
        spec: link('configuration', { mtu: 9000, up: true, kind: 'vlan', type: 'ether', vlan }),
      },
    ],
  );
});

test('mergeLinks() takes what makes a link from one specification, whatever others say about its master', () => {
  const bond = { ...plainLink('', 'configuration').bondMaster, mode: '802.3ad', miimon: 100 } as const;
  const made = { logical: true, kind: 'bond', type: 'ether', bondMaster: bond, up: true } as const;
  const member = { up: true, bridgeSlave: { masterName: 'br0' } };
  const merged = mergeLinks([link('configuration', made), link('configuration', member)]);
  assert.deepEqual(
    merged.map(({ spec }) => spec),
    [link('configuration', { ...made, ...member })],
  );
});

test('mergeLinks() lets the configuration set a link down and take multicast away, and no operator', () => {
  const of = (...specs: LinkSpecSpec[]) =>
    mergeLinks(specs).map(({ spec: { up, multicast, mtu } }) => ({ up, multicast, mtu }));
  const up = link('default', { up: true });
  assert.deepEqual(of(up, link('configuration', { up: false, multicast: false })), [
    { up: false, multicast: false, mtu: 0 },
  ]);
  assert.deepEqual(of(up, link('operator', { mtu: 1400 })), [{ up: true, multicast: undefined, mtu: 1400 }]);
});
