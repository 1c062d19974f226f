import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessage } from './dhcp-message.ts';
import { mostSearchDomains, searchDomainsOf } from './domain-names.ts';
import { bytesOfAddress } from './inet4-address.ts';
import { type LeaseOffer, mostRoutes, mostServers, offerOf } from './lease-offer.ts';
import { optionCodes } from './option-codes.ts';
import { realMessages } from './testing/real-messages.ts';
import { addressList } from './testing/test-server.ts';

const real = decodeMessage(realMessages.ack);
type Values = Readonly<Record<number, Uint8Array | undefined>>;
const withOptions = (values: Values, yourAddress = real.yourAddress) => {
  const options = new Map(real.options);
  for (const [code, value] of Object.entries(values))
    if (value === undefined) options.delete(Number(code));
    else options.set(Number(code), value);
  return offerOf({ ...real, yourAddress, options });
};
const offered = (values: Values): LeaseOffer => {
  const offer = withOptions(values);
  return 'reason' in offer ? assert.fail(offer.reason) : offer;
};
const seconds = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return Uint8Array.from(bytes);
};
const text = (value: string) => Uint8Array.from(Buffer.from(value, 'latin1'));

test('a real acknowledgement is an offer with all of its settings', () => {
  assert.deepEqual(offerOf(real), {
    ...{ address: '10.77.0.52', prefixLength: 24, serverId: '10.77.0.1' },
    ...{ leaseSeconds: 120, renewalSeconds: 60, rebindingSeconds: 105 },
    routes: [
      { destination: '10.8.0.0', prefixLength: 16, gateway: '10.77.0.9' },
      { destination: '0.0.0.0', prefixLength: 0, gateway: '10.77.0.1' },
    ],
    ...{ nameServers: [], timeServers: ['10.77.0.7'], hostname: 'nodea', domainName: 'example.net' },
    ...{ searchDomains: ['example.org', 'lab.example.org', 'example.net'], mtu: 1400 },
  });
});

test('the router counts only without classless routes, and only the first one', () => {
  const routers = addressList('10.77.0.1', '10.77.0.2');
  assert.deepEqual(
    offered({ [optionCodes.classlessRoutes]: undefined, [optionCodes.routers]: routers }).routes,
    [{ destination: '0.0.0.0', prefixLength: 0, gateway: '10.77.0.1' }],
  );
  assert.deepEqual(offered({ [optionCodes.classlessRoutes]: new Uint8Array() }).routes, []);
});

test('classless routes lose the bits of a host, and a damaged list ends where it is damaged', () => {
  const routesOf = (...bytes: readonly number[]) =>
    offered({ [optionCodes.classlessRoutes]: Uint8Array.from(bytes) }).routes.map(
      ({ destination, prefixLength, gateway }) => `${destination}/${prefixLength} ${gateway}`,
    );
  assert.deepEqual(routesOf(12, 10, 255, 0, 0, 0, 0), ['10.240.0.0/12 0.0.0.0']);
  assert.deepEqual(routesOf(8, 10, 10, 77, 0, 9, 33, 10, 1, 2, 3, 4, 10, 77, 0, 9), ['10.0.0.0/8 10.77.0.9']);
  assert.deepEqual(routesOf(8, 10, 10, 77, 0, 9, 32, 10, 1), ['10.0.0.0/8 10.77.0.9']);
  // To multicast, to itself, and through something that is not a host.
  assert.deepEqual(routesOf(8, 224, 10, 77, 0, 9, 8, 127, 10, 77, 0, 9, 8, 11, 255, 255, 255, 255), []);
});

test('a route leads to hosts only, or everywhere', () => {
  const routesOf = (prefixLength: number, first: number) => {
    const destination = prefixLength === 0 ? [] : [first];
    const bytes = Uint8Array.from([prefixLength, ...destination, 10, 77, 0, 9]);
    return offered({ [optionCodes.classlessRoutes]: bytes }).routes.length;
  };
  // Half of all addresses, with multicast or with loopback addresses among them, and those before and after them.
  assert.deepEqual([routesOf(1, 128), routesOf(1, 0), routesOf(2, 192), routesOf(2, 64)], [0, 0, 0, 0]);
  assert.deepEqual([routesOf(2, 128), routesOf(3, 192), routesOf(8, 126), routesOf(0, 0)], [1, 1, 1, 1]);
});

test('no route goes through an edge of the network, or through the machine itself', () => {
  // The network of the offer is 10.77.0.0/24, and the machine is 10.77.0.52.
  const through = (...gateway: readonly number[]) =>
    offered({ [optionCodes.classlessRoutes]: Uint8Array.from([8, 10, ...gateway]) }).routes.length;
  assert.deepEqual(
    [through(10, 77, 0, 255), through(10, 77, 0, 0), through(10, 77, 0, 52), through(10, 77, 1, 255)],
    [0, 0, 0, 1],
  );
  const routers = addressList('10.77.0.255', '10.77.0.52', '10.77.0.1');
  assert.deepEqual(
    offered({ [optionCodes.classlessRoutes]: undefined, [optionCodes.routers]: routers }).routes,
    [{ destination: '0.0.0.0', prefixLength: 0, gateway: '10.77.0.1' }],
  );
});

test('no resolver and no time server is the machine itself, or an edge of its network', () => {
  const servers = addressList('10.77.0.52', '10.77.0.255', '10.77.0.0', '127.0.0.1', '10.77.0.3');
  const { nameServers, timeServers } = offered({
    ...{ [optionCodes.nameServers]: servers, [optionCodes.timeServers]: servers },
  });
  assert.deepEqual([nameServers, timeServers], [['10.77.0.3'], ['10.77.0.3']]);
});

test('each list has a limit', () => {
  const many = Array.from({ length: 400 }, (_, index) =>
    [16, 10, index & 0xff, 10, 77, 0, 9].map((byte, at) => (at === 1 && index > 255 ? 11 : byte)),
  );
  assert.equal(
    offered({ [optionCodes.classlessRoutes]: Uint8Array.from(many.flat()) }).routes.length,
    mostRoutes,
  );
  const servers = addressList(...Array.from({ length: 50 }, (_, index) => `10.0.0.${index + 1}`));
  const { nameServers, timeServers } = offered({
    ...{ [optionCodes.nameServers]: servers, [optionCodes.timeServers]: servers },
  });
  assert.deepEqual([nameServers.length, timeServers.length], [mostServers, mostServers]);
  const names = Array.from({ length: 100 }, (_, index) => `\x03a${String(index).padStart(2, '0')}\0`).join(
    '',
  );
  assert.equal(searchDomainsOf(text(names)).length, mostSearchDomains);
});

test('of a list of thousands of entries that are of no use, only the first ones are looked at', () => {
  const good = '10.77.0.3';
  const servers = (useless: number) =>
    offered({
      [optionCodes.nameServers]: addressList(...Array<string>(useless).fill('10.77.0.255'), good),
    }).nameServers;
  assert.deepEqual([servers(60), servers(64), servers(2000)], [[good], [], []]);
  const routes = (useless: number) =>
    offered({
      [optionCodes.classlessRoutes]: Uint8Array.from(
        [...Array<number[]>(useless).fill([0, 127, 0, 0, 1]), [8, 11, 10, 77, 0, 9]].flat(),
      ),
    }).routes.length;
  assert.deepEqual([routes(250), routes(256), routes(1700)], [1, 0, 0]);
  const names = (useless: number) => searchDomainsOf(text(`${'\x01!\0'.repeat(useless)}\x03lab\0`));
  assert.deepEqual([names(60), names(64), names(2000)], [['lab'], [], []]);
  // In the labels of a useless name there is a chain of pointers, 31 in each, to the name `lab`. The second name leads to its end.
  const chained = (labels: number) => {
    const value = Buffer.alloc(64 * labels + 3);
    let last = 1;
    for (let label = 0; label < labels; label += 1) {
      value[64 * label] = 63;
      for (let at = 64 * label + 1; at < 64 * label + 62; at += 2) {
        value.writeUInt16BE(0xc000 | last, at);
        last = at;
      }
    }
    value.write('\x03lab\0', 1, 'latin1');
    value.writeUInt16BE(0xc000 | 7, 9);
    value.writeUInt16BE(0xc000 | 1, 7);
    value.writeUInt16BE(0xc000 | last, 64 * labels + 1);
    return searchDomainsOf(value);
  };
  assert.deepEqual([chained(2), chained(40)], [['lab'], []]);
});

test('names with control characters, newlines or 300 bytes are dropped', () => {
  const bad = [
    'node\n',
    'no\nde',
    'node\x1b[2J',
    'a'.repeat(64),
    `${'a.'.repeat(150)}b`,
    '-a',
    'a b',
    'ä',
    '',
    'a..b',
  ];
  for (const name of bad) {
    const { hostname, domainName, searchDomains } = offered({
      ...{ [optionCodes.hostname]: text(name), [optionCodes.domainName]: text(name) },
      [optionCodes.searchDomains]: text(`${String.fromCharCode(name.length & 63)}${name}\0`),
    });
    assert.deepEqual([hostname, domainName, searchDomains], [undefined, undefined, []], JSON.stringify(name));
  }
  const good = offered({
    [optionCodes.hostname]: text('Node-1.lab.example\0\0'),
    [optionCodes.domainName]: undefined,
  });
  assert.deepEqual([good.hostname, good.domainName], ['Node-1', 'lab.example']);
});

test('search domains are read up to what leads out of the list, or in circles', () => {
  const of = (value: string) => searchDomainsOf(text(value));
  assert.deepEqual(of('\x01a\xc0\0'), []);
  assert.deepEqual(of('\xc0\0'), []);
  assert.deepEqual(of('\xc0\x02\xc0\0'), []);
  assert.deepEqual(of('\x01a\0\x01b\xc0\x00\xc0\x03'), ['a', 'b.a']);
  assert.deepEqual(of('\x01a\0\x3f'), ['a']);
  assert.deepEqual(of('\x01a\0\x41a\0'), ['a']);
});

test('an MTU below 576 is ignored', () => {
  const mtuOf = (...bytes: readonly number[]) =>
    offered({ [optionCodes.interfaceMtu]: Uint8Array.from(bytes) }).mtu;
  assert.deepEqual(
    [mtuOf(2, 63), mtuOf(2, 64), mtuOf(0, 0), mtuOf(5)],
    [undefined, 576, undefined, undefined],
  );
});

test('times out of order are replaced by those of the lease', () => {
  const timesOf = (renewal: number, rebinding: number, lease = 120) => {
    const { renewalSeconds, rebindingSeconds, leaseSeconds } = offered({
      [optionCodes.renewalTime]: seconds(renewal),
      [optionCodes.rebindingTime]: seconds(rebinding),
      [optionCodes.leaseTime]: seconds(lease),
    });
    return [renewalSeconds, rebindingSeconds, leaseSeconds];
  };
  assert.deepEqual(timesOf(10, 20), [10, 20, 120]);
  for (const [renewal = 0, rebinding = 0] of [
    ...[
      [20, 20],
      [20, 10],
      [0, 20],
      [10, 120],
      [10, 0xffff_ffff],
    ],
  ])
    assert.deepEqual(timesOf(renewal, rebinding), [60, 105, 120]);
  assert.deepEqual(timesOf(10, 20, 0xffff_ffff), [undefined, undefined, undefined]);
  assert.equal(offered({ [optionCodes.leaseTime]: undefined }).leaseSeconds, 1800);
});

test('an offer of no use is refused, with the reason', () => {
  const reasonOf = (values: Values, yourAddress?: string) => {
    const offer = withOptions(values, yourAddress);
    return 'reason' in offer ? offer.reason : undefined;
  };
  assert.equal(reasonOf({}), undefined);
  for (const address of ['0.0.0.0', '127.0.0.1', '224.0.0.1', '255.255.255.255'])
    assert.equal(reasonOf({}, address), `${address} is not the address of a host`);
  for (const mask of [
    undefined,
    Uint8Array.of(255, 0, 255, 0),
    Uint8Array.of(255, 255, 255),
    new Uint8Array(4),
  ])
    assert.equal(reasonOf({ [optionCodes.subnetMask]: mask }), 'there is no netmask for 10.77.0.52');
  for (const address of ['10.77.0.0', '10.77.0.255'])
    assert.equal(reasonOf({}, address), `${address}/24 is a network and not the address of a host`);
  assert.equal(
    reasonOf({ [optionCodes.subnetMask]: Uint8Array.of(255, 255, 255, 254) }, '10.77.0.1'),
    'the server gives its own address 10.77.0.1 away',
  );
  assert.equal(
    reasonOf({ [optionCodes.serverId]: bytesOfAddress('0.0.0.0') }),
    'the id of the server is not the address of a host',
  );
  for (const lease of [0, 1, 9])
    assert.equal(
      reasonOf({ [optionCodes.leaseTime]: seconds(lease) }),
      `a lease of ${lease} s is shorter than 10 s`,
    );
});
