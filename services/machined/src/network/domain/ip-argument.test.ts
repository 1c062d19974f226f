import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { holds, isLoopback, isMulticast, parsePrefix } from '../../base/domain/prefix.ts';
import { type IpArgument, parseIpArguments, parseIpArgument as parseReporting } from './ip-argument.ts';

const parseIpArgument = (value: string, report: (problem: string) => void = () => {}) =>
  parseReporting(value, report);

const servers = { nameServers: [], timeServers: [] };

test('parseIpArgument() reads a static address with all fields, of both families', () => {
  assert.deepEqual(
    parseIpArgument(
      '10.0.2.15:10.0.2.9:10.0.2.2:255.255.255.0:node01.lab:eth0:off:10.0.2.3:[fd00::53]:10.0.2.4',
    ),
    {
      ...{ address: '10.0.2.15', prefixLength: 24, gateway: '10.0.2.2', hostname: 'node01.lab' },
      ...{ device: 'eth0', nameServers: ['10.0.2.3', 'fd00::53'], timeServers: ['10.0.2.4'] },
    },
  );
  assert.deepEqual(parseIpArgument('[fd00::15]::[fe80::1]:64::eth0:none::[fd00::53]:[fd00::123]'), {
    ...{ address: 'fd00::15', prefixLength: 64, gateway: 'fe80::1', device: 'eth0' },
    ...{ nameServers: ['fd00::53'], timeServers: ['fd00::123'] },
  });
  assert.deepEqual(parseIpArgument('[fd00::15]:::[ffff:ffff:ffff:ff00::]')?.prefixLength, 56);
  assert.deepEqual(parseIpArgument('10.0.2.15:::16'), {
    ...{ address: '10.0.2.15', prefixLength: 16, ...servers },
  });
  assert.deepEqual(parseIpArgument('10.0.2.15::0.0.0.0:16'), parseIpArgument('10.0.2.15:::16'));
  const nothing = '0.0.0.0';
  assert.deepEqual(
    parseIpArgument(`10.0.2.15:${nothing}:${nothing}:${nothing}:::off:${nothing}:${nothing}:${nothing}`),
    parseIpArgument('10.0.2.15'),
  );
  for (const none of ['', 'off', 'none']) assert.equal(parseIpArgument(none), undefined);
});

test('parseIpArgument() takes the whole address as prefix without a netmask', () => {
  assert.deepEqual(parseIpArgument('10.0.2.15')?.prefixLength, 32);
  assert.deepEqual(parseIpArgument('[fd00::15]')?.prefixLength, 128);
});

test('parseIpArgument() names the field that is wrong', () => {
  const label = 'a'.repeat(64);
  const cases: [string, RegExp][] = [
    ['dhcp6', /ip=dhcp6: "dhcp6" is not implemented: write ip=<link>:dhcp, or ip=<address>::/],
    ['bootp', /ip=bootp: "bootp" is not implemented/],
    [':::::eth0:rarp', /ip=:::::eth0:rarp: "rarp" is not implemented/],
    ['10.0.0.1:::24:::both', /it has an address, and asks for one by "both": write one of them/],
    ['10.0.0.1:::24:::later', /"later" is not implemented: write ip=<address>::/],
    ['nonsense', /address "nonsense" is not an IPv4 address/],
    ['fd00::1', /address "fd00" is not an IPv4 address, nor an IPv6 address in brackets/],
    ['[10.0.0.1]', /address "\[10.0.0.1\]" is not/],
    ['[fd00::1%eth0]', /address .* is not/],
    ['[fd00::1', /a bracket is not closed/],
    ['10.0.0.1:::255.0.255.0', /netmask "255.0.255.0" has ones after a zero/],
    ['10.0.0.1:::33', /netmask "33" is longer than 32 bits/],
    ['[fd00::1]:::129', /netmask "129" is longer than 128 bits/],
    ['[fd00::1]:::255.255.0.0', /netmask "255.255.0.0" is of another family/],
    ['10.0.0.1::x:24', /gateway "x" is not an IPv4 address/],
    ['10.0.0.1::[fd00::1]:24', /the gateway is not of the family of the address/],
    ['10.0.0.1:::24::../eth0', /is not the name of a network device/],
    [`10.0.0.1:::24::${label}${label}`, /is not the name of a network device/],
    ['10.0.0.1:::24::eth\u00070', /is not the name of a network device/],
    ['[::ffff:10.0.0.1]:::24::eth0', /address ".*" is an IPv4 address in IPv6/],
    ['[fd00::1]::[::ffff:a00:1]:24', /gateway ".*" is an IPv4 address in IPv6/],
    ['0.0.0.0:::24', /address "0.0.0.0" is unspecified/],
    ['[::]:::64', /address .* is unspecified/],
    ['224.0.0.1:::24', /address .* is a multicast address/],
    ['[ff02::1]:::64', /address .* is a multicast address/],
    ['127.0.0.1:::8', /address .* is a loopback address/],
    ['[::1]:::64', /address .* is a loopback address/],
    ['255.255.255.255:::24', /address .* is the broadcast address/],
    ['10.0.0.1::239.1.1.1:24', /gateway .* is a multicast address/],
    ['[fd00::1]::[::1]:64', /gateway .* is a loopback address/],
  ];
  for (const [value, message] of cases) assert.throws(() => parseIpArgument(value), message, value);
});

test('parseIpArgument() leaves out a host name or a server that is wrong, says so, and keeps the address and the gateway', () => {
  const cases: [string, RegExp][] = [
    ['a_b', /"a_b" is not a host name/],
    ['a'.repeat(64), /is not a host name/],
    ['a..b', /is not a host name/],
    [':::x', /name server "x" is not an IPv4 address/],
    [':::[::ffff:8.8.8.8]', /name server ".*" is an IPv4 address in IPv6/],
    [':::::time.example', /time server "time.example" is not an IPv4 address/],
  ];
  for (const [rest, message] of cases) {
    const reports: string[] = [];
    const argument = parseIpArgument(`10.0.0.1::10.0.0.254:24:${rest}`, (line) => reports.push(line));
    assert.deepEqual(argument, { address: '10.0.0.1', prefixLength: 24, gateway: '10.0.0.254', ...servers });
    assert.equal(reports.length, 1);
    assert.match(reports[0] ?? '', message);
  }
  const { all, problems, partialProblems } = parseIpArguments(
    'ip=10.0.0.1:::24:node_01:eth0:off:8.8.8.8:8.8.4.4:pool.example',
  );
  assert.deepEqual(all[0]?.argument.nameServers, ['8.8.8.8', '8.8.4.4']);
  assert.deepEqual([problems.length, partialProblems.length], [0, 2]);
});

test('parseIpArguments() takes the last argument of a device and family, in the place of the first', () => {
  const of = (line: string) =>
    parseIpArguments(line).all.map(({ position, argument }) => [position, argument.address]);
  assert.deepEqual(of('ip=10.0.0.1:::24 quiet ip=10.0.0.2:::24'), [[0, '10.0.0.2']]);
  assert.deepEqual(
    of('ip=10.0.0.1:::24::eth0 ip=10.1.0.1:::24::eth1 ip=[fd00::1]:::64::eth0 ip=10.0.0.2:::24::eth0'),
    [
      [0, '10.0.0.2'],
      [1, '10.1.0.1'],
      [2, 'fd00::1'],
    ],
  );
  // What is wrong replaces nothing.
  assert.deepEqual(of('ip=10.0.0.1:::24 ip=10.0.0.2:::99'), [[0, '10.0.0.1']]);
  assert.deepEqual(parseIpArguments('ip=10.0.0.1:::24:a_b ip=10.0.0.2:::24').partialProblems, []);
});

test('parseIpArguments() keeps those that are right, with their positions, and bounds their number', () => {
  const { all, problems } = parseIpArguments('quiet ip=10.0.0.1:::24 ip=nonsense  ip=off ip=[fd00::1]\n');
  assert.deepEqual(
    all.map(({ position, argument }) => [position, argument.address]),
    [
      [0, '10.0.0.1'],
      [3, 'fd00::1'],
    ],
  );
  assert.equal(problems.length, 1);
  const many = parseIpArguments(
    Array.from({ length: 100 }, (_, index) => `ip=10.0.0.1:::24::eth${index}`).join(' '),
  );
  assert.equal(many.all.length, 64);
  assert.deepEqual(many.problems, ['there are 100 arguments ip=: all after 64 are ignored']);
  assert.deepEqual(parseIpArguments('skip=1 zip=10.0.0.1 quiet'), {
    ...{ all: [], dhcpLinks: [], problems: [], partialProblems: [] },
  });
});

const word = fc.constantFrom(
  ...['', '10.0.0.1', '255.255.0.0', '33', '24', 'off', 'dhcp', 'x', 'eth0', '[fd00::1]', '[', ']', '[::'],
  ...['[ffff::]', '0.0.0.0', '[::]', 'node01', ' ', '\n', '%', '64'],
);

test('parseIpArgument() returns what it can use, or throws an Error, for every text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(word, { maxLength: 12 }).map((fields) => fields.join(':')),
      ),
      (value) => {
        try {
          const parsed = parseIpArgument(value);
          if (parsed === undefined) return;
          const width = parsed.address.includes(':') ? 128 : 32;
          assert.ok(parsed.prefixLength >= 0 && parsed.prefixLength <= width);
          assert.ok(parsed.nameServers.length <= 2 && parsed.timeServers.length <= 1);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach files and consoles
          assert.doesNotMatch(Object.values(parsed).flat().join(''), /[\u0000-\u0020\u007f%[\]]/);
        } catch (error) {
          assert.ok(error instanceof Error && error.message.startsWith('ip='), String(error));
        }
      },
    ),
    { numRuns: 2000 },
  );
});

/** Addresses that a machine can have, without a few networks that it could have parts of. */
const isUsable = (text: string) => {
  const prefix = parsePrefix(text) ?? assert.fail(text);
  const others = ['0.0.0.0/8', '255.0.0.0/8', '::/64'].map(
    (network) => parsePrefix(network) ?? assert.fail(),
  );
  return !isMulticast(prefix) && !isLoopback(prefix) && !others.some((other) => holds(other, prefix));
};
const inet4 = fc.ipV4().filter(isUsable);
const inet6 = fc.ipV6().filter((text) => !text.includes('.') && isUsable(text));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const written = (address: string | undefined) => (address?.includes(':') ? `[${address}]` : (address ?? ''));

test('parseIpArgument() reads what was written, for every address and field', () => {
  const configuration = fc.boolean().chain((isInet6) => {
    const address = isInet6 ? inet6 : inet4;
    return fc.record({
      ...{ address, prefixLength: fc.nat(isInet6 ? 128 : 32), gateway: optional(address) },
      hostname: optional(fc.constantFrom('node01', 'a', 'n-1.lab.example')),
      device: optional(fc.constantFrom('eth0', 'enp0s31f6', 'br-lan', 'eth0.7')),
      ...{ server: optional(inet4), autoconf: fc.constantFrom('', 'off', 'none', 'static') },
      nameServers: fc.array(fc.oneof(inet4, inet6), { maxLength: 2 }),
      timeServers: fc.array(fc.oneof(inet4, inet6), { maxLength: 1 }),
      isMask: fc.boolean(),
    });
  });
  fc.assert(
    fc.property(configuration, (of) => {
      const bits = '1'.repeat(of.prefixLength).padEnd(32, '0');
      const mask = [0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(at, at + 8), 2)).join('.');
      // The mask of no bits stands for none.
      const isMask = of.isMask && !of.address.includes(':') && of.prefixLength > 0;
      const [dns0, dns1] = of.nameServers;
      const value = [
        ...[written(of.address), written(of.server), written(of.gateway)],
        ...[isMask ? mask : String(of.prefixLength), of.hostname ?? '', of.device ?? '', of.autoconf],
        ...[written(dns0), written(dns1), written(of.timeServers[0])],
      ].join(':');
      const wanted: IpArgument = {
        ...{ address: of.address, prefixLength: of.prefixLength },
        ...(of.gateway === undefined ? {} : { gateway: of.gateway }),
        ...(of.hostname === undefined ? {} : { hostname: of.hostname }),
        ...(of.device === undefined ? {} : { device: of.device }),
        ...{ nameServers: of.nameServers, timeServers: of.timeServers },
      };
      assert.deepEqual(parseIpArgument(value), wanted);
      assert.deepEqual(parseIpArguments(`quiet ip=${value} panic=0`).all, [
        { position: 0, argument: wanted },
      ]);
    }),
  );
});

test('what is wrong with ip= is said without control characters, and in lines of a bounded length', () => {
  const { problems, partialProblems } = parseIpArguments(
    `ip=10.0.0.2:::24:\x1b]0;evil\x07:eth0:off ip=10.0.0.3:::24::${'d'.repeat(3000)}:off ip=10.0.0.4:::24::\x9bm:off`,
  );
  const lines = [...problems, ...partialProblems];
  assert.equal(lines.length, 3);
  assert.ok(
    lines.every((line) => line.length <= 301 && !/\p{C}/u.test(line)),
    JSON.stringify(lines),
  );
});
