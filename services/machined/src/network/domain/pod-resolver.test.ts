import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { podResolver } from './pod-resolver.ts';

const ofEngine = (servers: string) =>
  `nameserver 127.0.0.11\noptions ndots:0\n\n# Based on host file: '/etc/resolv.conf' (internal resolver)\n# ExtServers: [${servers}]\n# Overrides: []\n`;
const defaults = ['1.1.1.1', '8.8.8.8'];
const isContainer = true;

test('podResolver() keeps the name servers of the node, in their order, without those on loopback addresses', () => {
  const rows: [string[], string[]][] = [
    [['10.0.0.53'], ['10.0.0.53']],
    [
      ['10.0.0.53', '127.0.0.11', '2001:db8::53'],
      ['10.0.0.53', '2001:db8::53'],
    ],
    [['127.0.0.53', '9.9.9.9'], ['9.9.9.9']],
  ];
  for (const [inUse, servers] of rows)
    assert.deepEqual(podResolver({ inUse, resolvConf: ofEngine('10.9.9.9'), isContainer }), {
      ...{ servers, diagnostic: undefined },
    });
});

test("podResolver() takes the servers of the engine's --dns when the node has loopback addresses only", () => {
  const of = (servers: string) =>
    podResolver({ inUse: ['127.0.0.11'], resolvConf: ofEngine(servers), isContainer }).servers;
  assert.deepEqual(of('10.89.0.53 2001:db8::53'), ['10.89.0.53', '2001:db8::53']);
  assert.deepEqual(of('host(127.0.0.53) 10.89.0.53 127.0.0.2'), ['10.89.0.53']);
  for (const unusable of ['', 'host(192.168.1.1)', 'invalid IP invalid IP', '127.0.0.1'])
    assert.deepEqual(of(unusable), defaults);
});

test('podResolver() takes the defaults when it has no other server, and says what to do', () => {
  for (const address of ['127.0.0.11', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1']) {
    const { servers, diagnostic } = podResolver({ inUse: [address], resolvConf: '', isContainer });
    assert.deepEqual(servers, defaults);
    assert.deepEqual(diagnostic, {
      message: `pods ask the default name servers 1.1.1.1, 8.8.8.8: they cannot reach those of the node (${address})`,
      details: [
        'a loopback address is another one in each pod',
        "start the container with name servers (the engine's option --dns), or configure name servers of the node (a document of kind ResolverConfig)",
      ],
    });
  }
  const ofLink = podResolver({ inUse: ['fe80::1%eth0'], resolvConf: '', isContainer: false });
  assert.deepEqual(
    [ofLink.servers, ofLink.diagnostic?.details[0]],
    [defaults, 'a link-local address needs its link, which pods do not have'],
  );
  const machine = podResolver({ inUse: ['127.0.0.1'], resolvConf: '', isContainer: false });
  assert.deepEqual(machine.diagnostic?.details, [
    'a loopback address is another one in each pod',
    'configure name servers of the node (a document of kind ResolverConfig)',
  ]);
});

test('podResolver() names some server in any case, and none that is the pod itself', () => {
  const loopback = fc.oneof(
    fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `127.${rest.join('.')}`),
    fc.constantFrom('::1', '::', '0.0.0.0', '::ffff:127.0.0.1', '::FFFF:7f00:1'),
  );
  const server = fc.oneof(loopback, fc.ipV4(), fc.ipV6(), fc.string());
  const resolvConf = fc.oneof(
    fc.string(),
    fc.array(server).map((servers) => ofEngine(servers.join(' '))),
  );
  const isOwn = (address: string) =>
    /^(127|0)\./.test(address) || new URL(`http://[${address}]`).hostname === '[::1]';
  fc.assert(
    fc.property(fc.array(server), resolvConf, fc.boolean(), (inUse, text, ofContainer) => {
      const { servers, diagnostic } = podResolver({ inUse, resolvConf: text, isContainer: ofContainer });
      assert.ok(servers.length > 0);
      for (const each of servers) {
        assert.notEqual(isIP(each), 0, each);
        assert.ok(!(isIP(each) === 4 ? /^(127|0)\./.test(each) : isOwn(each)), each);
      }
      // It is said only when nobody has chosen these servers.
      if (diagnostic !== undefined) assert.deepEqual(servers, defaults);
    }),
  );
});
