// What a server may put into a lease. Each attack grants one lease, and looks at what the machine makes of it.
import { encodeMessage, messageTypes, optionCodes } from '@nodewright/dhcp';
import { addressList, TestServer, type TestServerInit } from '@nodewright/dhcp/testing';
import { eventually } from '@nodewright/testkit';
import type { MachineReport } from '../machine-order.ts';
import { type AttackBench, type AttackedMachine, answersOf, pause } from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 90_000;
const serverAddress = '10.99.0.66';
const leased = '10.99.0.60';

/** What the machine has when it has got a lease of a hostile server. */
interface Leased {
  readonly machine: AttackedMachine;
  readonly report: MachineReport;
  readonly server: TestServer;
}

async function takeLease(
  { openMachine, openHost }: AttackBench,
  { mtu, ...init }: TestServerInit & { readonly mtu?: number },
  answersFirst?: (server: TestServer) => ReturnType<typeof answersOf>,
): Promise<Leased> {
  const server = new TestServer({ id: serverAddress, addresses: [leased], leaseSeconds: 600, ...init });
  await openHost('server', serverAddress, answersFirst?.(server) ?? answersOf(server));
  const machine = await openMachine(mtu === undefined ? {} : { mtu });
  const explain = () => machine.running.text().slice(-2000);
  await eventually(() => machine.addresses().length > 0, { what: 'an address', timeoutMs, explain });
  // The other settings follow the address.
  await eventually(() => machine.ip('route').includes(serverAddress), {
    what: 'a route',
    timeoutMs,
    explain,
  });
  await pause(1000);
  return { machine, report: await machine.report(), server };
}

const text = (value: string) => Uint8Array.from(Buffer.from(value, 'latin1'));

/** A route to a network through a host, as in option 121. */
const routeBytes = (index: number) => [24, 11 + (index >> 8), index & 255, 7, 10, 99, 0, 66];

/** The domain `label.label.` as in option 119, whatever is in it. */
const domainBytes = (...labels: string[]) =>
  Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
    Buffer.of(0),
  ]);

/** A problem when two texts differ. */
const differing = (what: string, actual: unknown, expected: unknown): string[] =>
  JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [`${what}: ${JSON.stringify(actual)} and not ${JSON.stringify(expected)}`];

const dhcpRoutes: NetworkAttack = {
  name: 'dhcp-routes',
  what: 'a lease with 300 routes (option 121), 60 resolvers, 60 time servers and 100 search domains',
  limit: '64 routes, 8 servers of a kind, 32 search domains',
  seenToFail: 'the limit of 64 routes was taken away',
  async run(bench) {
    const servers = (from: number) =>
      addressList(...Array.from({ length: 60 }, (_, index) => `10.99.${from}.${index + 1}`));
    const { machine, report } = await takeLease(bench, {
      mtu: 9000,
      options: new Map([
        [
          optionCodes.classlessRoutes,
          Uint8Array.from(Array.from({ length: 300 }, (_, index) => routeBytes(index)).flat()),
        ],
        [optionCodes.nameServers, servers(1)],
        [optionCodes.timeServers, servers(2)],
        [
          optionCodes.searchDomains,
          Buffer.concat(Array.from({ length: 100 }, (_, index) => domainBytes(`d${index}`, 'example'))),
        ],
      ]),
    });
    const routes = machine.ip('route').match(/ via 10\.99\.0\.66 /g) ?? [];
    return {
      counts: { routes: 300, servers: 120, domains: 100 },
      problems: [
        ...differing('routes', routes.length, 64),
        ...differing('resolvers', report.resolvers.length, 8),
        ...differing('time servers', report.timeServers.length, 8),
        ...differing('search domains', report.searchDomains.length, 32),
      ],
    };
  },
};

const dhcpMtu: NetworkAttack = {
  name: 'dhcp-mtu',
  what: 'a lease with an MTU of 575, with which a link carries no IPv4',
  limit: 'an MTU below 576 is ignored',
  seenToFail: 'any MTU was taken',
  async run(bench) {
    const { machine } = await takeLease(bench, {
      options: new Map([[optionCodes.interfaceMtu, Uint8Array.of(575 >> 8, 575 & 255)]]),
    });
    const [, mtu] = /mtu (\d+)/.exec(machine.ip('link', 'show', 'dev', 'eth0')) ?? [];
    return { counts: { leases: 1 }, problems: differing('MTU', mtu, '1500') };
  },
};

const hostileNames = [
  'a\nnameserver 6.6.6.6',
  '\x1b]0;title\x07',
  'x'.repeat(300),
  'a b',
  '../../etc',
  '-rf',
];

const dhcpNames: NetworkAttack = {
  name: 'dhcp-names',
  what: 'a lease whose host name, domain and search domains have control characters, newlines, spaces or 300 bytes',
  limit:
    'what is not a name of letters, digits, hyphens and underscores with 253 characters at most is dropped',
  seenToFail: 'any text was taken as a name',
  async run(bench) {
    const { report } = await takeLease(bench, {
      options: new Map([
        [optionCodes.hostname, text('evil\nhost\x1b[2J')],
        [optionCodes.domainName, text('d'.repeat(300))],
        [
          optionCodes.searchDomains,
          Buffer.concat([
            ...hostileNames.map((name) => domainBytes(name.slice(0, 63))),
            domainBytes('good', 'example'),
          ]),
        ],
      ]),
    });
    const files = Object.values(report.files).join('\n');
    return {
      counts: { names: hostileNames.length + 2 },
      problems: [
        ...differing('search domains', report.searchDomains, ['x'.repeat(63), 'good.example']),
        ...(report.hostname.startsWith('talos-')
          ? []
          : [`the host name is ${JSON.stringify(report.hostname)}`]),
        ...(/(?!\n)\p{Cc}|6\.6\.6\.6|evil|d{64}/u.test(files) ? [`a file has ${JSON.stringify(files)}`] : []),
        ...(report.files['resolv.conf'] === undefined ? ['there is no resolv.conf'] : []),
      ],
    };
  },
};

const dhcpOwnServers: NetworkAttack = {
  name: 'dhcp-own-servers',
  what: 'a lease whose router, resolver, time server and gateways are the machine itself, loopback and broadcast addresses',
  limit: 'a server is another host: the own address, loopback, multicast, broadcast and 0.0.0.0 are dropped',
  seenToFail:
    'the own address was taken as that of a server; and before it was dropped as one of a resolver or a time server',
  async run(bench) {
    const none = ['0.0.0.0', '127.0.0.1', '224.0.0.1', '255.255.255.255', leased];
    const { machine, report } = await takeLease(bench, {
      options: new Map([
        [optionCodes.routers, addressList(...none, serverAddress)],
        [optionCodes.nameServers, addressList(...none, serverAddress)],
        [optionCodes.timeServers, addressList(...none, serverAddress)],
      ]),
    });
    const gateways = [...machine.ip('route').matchAll(/ via (\S+) /g)].map(([, gateway]) => gateway);
    return {
      counts: { servers: 3 * none.length },
      problems: [
        ...differing('resolvers', report.resolvers, [serverAddress]),
        ...differing('time servers', report.timeServers, [serverAddress]),
        ...differing('gateways', gateways, [serverAddress]),
      ],
    };
  },
};

/** The fields of a message that may also have options. Source: RFC 2131, section 2; RFC 2132, section 9.3. */
const fields = { name: { offset: 44, bytes: 64 }, file: { offset: 108, bytes: 128 } } as const;

/** Writes options into the fields of a file and a name. */
function overload(payload: Uint8Array, file: readonly number[], name: readonly number[]): Buffer {
  const message = Buffer.from(payload);
  message.set(file.slice(0, fields.file.bytes), fields.file.offset);
  message.set(name.slice(0, fields.name.bytes), fields.name.offset);
  return message;
}

const dhcpOverload: NetworkAttack = {
  name: 'dhcp-overload',
  what: 'offers with options in the fields of a file and a name that lead out of them, then one with good ones',
  limit: 'an option that is longer than its field refuses the message; both fields are read once',
  seenToFail: 'an option that is longer than its field ended the field and not the message',
  async run(bench) {
    let count = 0;
    const fillers = [
      overload(new Uint8Array(236), [optionCodes.classlessRoutes, 200, 24], []),
      overload(new Uint8Array(236), [], [optionCodes.hostname, 63, 65]),
    ];
    const { machine, report } = await takeLease(bench, {}, (server) => (message) => {
      server.options = new Map([[optionCodes.overload, Uint8Array.of(3)]]);
      const reply = server.answer(message);
      if (reply === undefined) return undefined;
      const encoded = encodeMessage(reply);
      count += 1;
      const filler = fillers[count - 1];
      if (filler !== undefined) {
        const bad = Buffer.from(encoded);
        filler.copy(bad, fields.name.offset, fields.name.offset, 236);
        return bad;
      }
      // Another option 52 in a field changes nothing.
      const file = [optionCodes.interfaceMtu, 2, 1400 >> 8, 1400 & 255, optionCodes.overload, 1, 3, 255];
      const name = [optionCodes.nameServers, 4, 10, 99, 0, 53, 255];
      return overload(encoded, file, name);
    });
    const [, mtu] = /mtu (\d+)/.exec(machine.ip('link', 'show', 'dev', 'eth0')) ?? [];
    return {
      counts: { damaged: fillers.length, good: 1 },
      problems: [
        ...differing('MTU', mtu, '1400'),
        ...differing('resolvers', report.resolvers, ['10.99.0.53']),
        ...(count >= 4 ? [] : [`only ${count} replies were sent`]),
      ],
    };
  },
};

const dhcpLeaseTimes: NetworkAttack = {
  name: 'dhcp-lease-times',
  what: 'offers of leases of 0 s and of 1 s, and then one for ever',
  limit: 'a lease of less than 10 s is refused; one for ever is never renewed',
  seenToFail: 'a lease of any time was taken',
  async run(bench) {
    let offers = 0;
    const asked: number[] = [];
    const { machine, server } = await takeLease(bench, {}, (server) => (message, host) => {
      const type = message.options.get(optionCodes.messageType)?.[0];
      asked.push(type ?? 0);
      if (type === messageTypes.discover) offers += 1;
      server.leaseSeconds = offers === 1 ? 0 : offers === 2 ? 1 : 0xffff_ffff;
      return answersOf(server)(message, host);
    });
    await pause(2000);
    const before = asked.length;
    await pause(bench.isShort ? 3000 : 20_000);
    const [, lifetime] = /valid_lft (\S+)/.exec(machine.ip('addr', 'show', 'dev', 'eth0')) ?? [];
    return {
      counts: { offers: 3 },
      problems: [
        // A last request may tell the server the name of the machine.
        ...differing('messages', asked.slice(0, 4), [1, 1, 1, messageTypes.request]),
        ...(before <= 5 ? [] : [`the machine sent ${before} messages`]),
        ...differing('the machine asks again', asked.length - before, 0),
        ...differing('valid for', lifetime, 'forever'),
        ...(server.received.length > 0 ? [] : ['the server was asked nothing']),
      ],
    };
  },
};

export const leaseAttacks: readonly NetworkAttack[] = [
  dhcpRoutes,
  dhcpOverload,
  dhcpMtu,
  dhcpNames,
  dhcpOwnServers,
  dhcpLeaseTimes,
];
