import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformResolvers, resolverLayers } from './name-servers.ts';
import { timeServerLayers } from './time-server-layers.ts';

const config = (rest: object) => ({
  resolvers: { nameServers: [], searchDomains: undefined, disableSearchDomain: false, ...rest },
});

test('resolverLayers() searches the domain of the node unless that is disabled', () => {
  const [base, ...more] = resolverLayers(undefined, 'lab');
  assert.deepEqual([base?.dnsServers, base?.searchDomains, more], [['1.1.1.1', '8.8.8.8'], ['lab'], []]);
  assert.deepEqual(resolverLayers(config({ disableSearchDomain: true }), 'lab')[0]?.searchDomains, []);
});

test('resolverLayers() distinguishes an empty list of domains from a missing one', () => {
  const configured = (rest: object) => resolverLayers(config(rest), '')[1];
  assert.equal(configured({}), undefined);
  assert.deepEqual(configured({ searchDomains: [] })?.searchDomainsOverridden, true);
  const server = { address: '9.9.9.9', protocol: 'DoT', tlsServerName: 'dns.example' } as const;
  assert.deepEqual(configured({ nameServers: [server] }), {
    dnsServers: ['9.9.9.9'],
    nameServers: [{ addr: '9.9.9.9', protocol: 'DoT', tlsServerName: 'dns.example' }],
    ...{ layer: 'configuration', searchDomains: [], searchDomainsOverridden: false },
  });
});

test('platformResolvers() reads a resolv.conf', () => {
  const text =
    '# made by hand\nnameserver 10.0.0.53 ; first\nnameserver fe80::1%eth0\nnameserver 10.0.0.53\nsearch a b\nsearch c\noptions ndots:5\n';
  const spec = platformResolvers(text);
  assert.deepEqual(
    [spec?.dnsServers, spec?.searchDomains, spec?.layer],
    [['10.0.0.53', 'fe80::1'], ['c'], 'platform'],
  );
  assert.equal(platformResolvers('search lab\n'), undefined);
  assert.equal(platformResolvers(''), undefined);
});

test('timeServerLayers() is the default, without NTS unless the configuration asks for it, and the configuration', () => {
  const time = { disabled: false, servers: ['a'], useNTS: false, bootTimeoutMs: 0 };
  assert.deepEqual(timeServerLayers(undefined), [
    { timeServers: ['time.cloudflare.com'], useNTS: false, layer: 'default' },
  ]);
  assert.deepEqual(timeServerLayers({ time: { ...time, servers: [], useNTS: true } }), [
    { timeServers: ['time.cloudflare.com'], useNTS: true, layer: 'default' },
  ]);
  assert.deepEqual(timeServerLayers({ time })[1], {
    timeServers: ['a'],
    useNTS: false,
    layer: 'configuration',
  });
});
