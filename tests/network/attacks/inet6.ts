// A hostile host on the network of a machine that takes routers' advertisements, and an address by DHCP for IPv6.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { systemTimers } from '@nodewright/async';
import { realInet6Messages } from '@nodewright/dhcp/testing';
import {
  type FrameSocket,
  loadNativeCalls,
  openFrameSocket,
  openInet6Socket,
  readLinks,
} from '@nodewright/linux';
import { openNamespaceOf } from '@nodewright/linux/testing';
import { eventually } from '@nodewright/testkit';
import type { MachineReport } from '../machine-order.ts';
import {
  advertisementFrame,
  domainsOption,
  inet6EtherType,
  openSender,
  prefixOption,
  serversOption,
} from '../router-advertisement.ts';
import {
  type AttackBench,
  type AttackedMachine,
  type Host,
  isFull,
  machineHardware,
  numbers,
  pause,
} from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 90_000;
const rogueHardware = '02:00:00:00:00:66';
const hex = (number: number) => number.toString(16);

/** The machine's address by the advertisements of the honest router, whose name server is fd99::53. */
const ownAddress = 'fd99::ff:fe00:21';
const honestServer = 'fd99::53';

/** A machine on the network of an honest router, which is dnsmasq, and a hostile host. */
async function openAdvertised({ lan, openHost, openMachine }: AttackBench, configuration?: string) {
  lan.ip('addr', 'add', 'fd99::1/64', 'dev', 'lan0', 'nodad');
  // A host that does not forward says that it is no router, and the machine's kernel then removes the route through it.
  await once(lan.run(['sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/all/forwarding']), 'exit');
  const router = await lan.serve(
    ...(['router', '10.99.0.50,10.99.0.59,2m', '--dhcp-range=fd99::100,fd99::13f,slaac,64,2m'] as const),
    ...['--enable-ra', '--ra-param=lan0,4,600', `--dhcp-option=option6:dns-server,[${honestServer}]`],
    '--dhcp-option=option6:domain-search,lab.example',
  );
  const rogue = await openHost('rogue', '10.99.0.66');
  const machine = await openMachine();
  if (configuration !== undefined) assert.equal((await machine.configure(configuration)).refusal, '');
  const explain = () =>
    `${machine.running.text().slice(-3000)}\n${router.text().slice(-1000)}\n${machine.ip('-6', 'addr')}`;
  const has = (wanted: string) => () => machine.inet6Addresses().includes(wanted);
  await eventually(has(`${ownAddress}/64`), { what: 'an address of the router', timeoutMs, explain });
  await until(machine, ({ resolvers }) => resolvers.includes(honestServer), 'its name server', explain);
  return { machine, rogue, explain };
}

/** Waits for what the machine publishes, and returns it. */
async function until(
  machine: AttackedMachine,
  isThere: (report: MachineReport) => boolean,
  what: string,
  explain: () => string,
): Promise<MachineReport> {
  let report: MachineReport | undefined;
  const look = async () => {
    report = await machine.report();
    return isThere(report);
  };
  await eventually(look, { what, timeoutMs, explain });
  return report ?? assert.fail();
}

/** Sends, and waits where the kernel takes no more frames. */
async function sendPatiently(sender: FrameSocket, frame: Uint8Array): Promise<void> {
  for (;;) {
    try {
      return sender.send(frame);
    } catch (error) {
      if (!isFull(error)) throw error;
      await pause(2);
    }
  }
}

const problemIf = (isProblem: boolean, problem: string) => (isProblem ? [problem] : []);
const isOfRogue = (text: string) => /fd66|rogue|^d\d/.test(text);

const advertisedNames: NetworkAttack = {
  name: 'advertised-names',
  what: 'advertisements of name servers and search domains that no machine should use, then 60 of each and 500 times other ones, for ever',
  limit:
    'what is not a name, and a server that is the machine, loopback or multicast, is dropped; 8 servers and 32 domains for each link',
  seenToFail: 'the limits of 8 servers and 32 domains were taken away',
  async run(bench) {
    const { machine, rogue, explain } = await openAdvertised(bench);
    using sender = await openSender(rogue);
    const send = (...options: Buffer[]) =>
      sendPatiently(
        sender,
        advertisementFrame({ router: 'fe80::66', hardware: rogueHardware, routerSeconds: 0, options }),
      );
    const useless = ['::', '::1', 'ff02::1', '::ffff:10.0.0.1', ownAddress];
    await send(serversOption(5, ...useless, 'fe80::66', 'fd66::1'));
    const noNames = ['a\nnameserver 6', 'bad\u001b[2J', 'x'.repeat(63).concat('.y'.repeat(100))];
    await send(domainsOption(5, ...noNames, 'rogue.example'));
    // A damaged option, and one that claims more than it has.
    await send(Buffer.from([25, 1, 0, 0, 0, 0, 0, 9]), Buffer.from([31, 1, 0, 0, 0, 0, 0, 9]));
    const good = ({ resolvers, searchDomains }: MachineReport) =>
      resolvers.includes('fd66::1') && searchDomains.includes('rogue.example');
    const first = await until(machine, good, 'the good ones', explain);
    const gone = ({ resolvers, searchDomains }: MachineReport) =>
      ![...resolvers, ...searchDomains].some(isOfRogue);
    await until(machine, gone, 'the end of their lifetime', explain);
    const sixty = Array.from({ length: 60 }, (_, index) => hex(index));
    await send(serversOption(0xffff_ffff, ...sixty.map((index) => `fd66:ffff::${index}`)));
    await send(domainsOption(0xffff_ffff, ...sixty.map((index) => `d${index}.rogue`)));
    const count = bench.isShort ? 200 : 500;
    for (let number = 0; number < count; number += 1) {
      const servers = [1, 2, 3].map((each) => `fd66:${hex(number)}::${each}`);
      await send(serversOption(0xffff_ffff, ...servers), domainsOption(0xffff_ffff, `d${number}.example`));
    }
    // What is advertised more often acts once a minute.
    const full = ({ resolvers }: MachineReport) => resolvers.filter(isOfRogue).length > 2;
    await until(machine, full, 'servers of the flood', explain);
    await pause(2000);
    const last = await machine.report();
    const inet6 = (report: MachineReport) => report.resolvers.filter((server) => server.includes(':'));
    const found = [inet6(first), first.searchDomains].map((texts) =>
      texts.filter((text) => ![honestServer, 'lab.example'].includes(text)).join(),
    );
    return {
      counts: { advertisements: count + 5 },
      problems: [
        ...problemIf(found[0] !== 'fe80::66%eth0,fd66::1', `servers: ${found[0]}`),
        ...problemIf(found[1] !== 'rogue.example', `domains: ${JSON.stringify(found[1])}`),
        ...problemIf(inet6(last).length > 8, `${inet6(last).length} servers`),
        ...problemIf(last.searchDomains.length > 32, `${last.searchDomains.length} domains`),
        ...problemIf(!last.resolvers.includes(honestServer), 'the honest server is gone'),
      ],
    };
  },
};

const advertisementFlood: NetworkAttack = {
  name: 'advertisement-flood',
  what: '800 advertisements with 40 prefixes each, of as many routers, for ever',
  limit:
    '16 addresses and 64 routes for each link; after more, the link accepts none for ten minutes, keeps what it had, and the log says so',
  seenToFail: 'the limit of 64 routes was taken away',
  mostGrowthMb: 256,
  async run(bench) {
    const { machine, rogue, explain } = await openAdvertised(bench);
    using sender = await openSender(rogue);
    const kept = machine.inet6Addresses();
    const routes = () => machine.ip('-6', 'route').split('\n').length;
    const count = bench.isShort ? 300 : 800;
    let most = 0;
    for (let number = 0; number < count; number += 1) {
      const options = Array.from({ length: 40 }, (_, index) =>
        prefixOption(`fd66:${hex(number)}:${hex(index)}::/64`, 0xffff_ffff),
      );
      const router = `fe80::66:${hex(number)}`;
      const frame = advertisementFrame({ router, hardware: rogueHardware, routerSeconds: 9000, options });
      await sendPatiently(sender, frame);
      if (number % 100 !== 99) continue;
      await pause(50);
      most = Math.max(most, routes());
    }
    await eventually(() => routes() < 100, { what: 'the end of the surplus', timeoutMs, explain });
    const addresses = machine.inet6Addresses();
    const lost = kept.filter((address) => !addresses.includes(address));
    // The honest router is fd99::1.
    rogue.ip('addr', 'replace', 'fd99::66/64', 'dev', 'eth0', 'nodad');
    const unreachable = [...kept, ...machine.addresses()].filter((address) => !canReach(rogue, address));
    return {
      counts: { advertisements: count, prefixes: 40 * count, mostRoutes: most },
      problems: [
        ...problemIf(addresses.length > 16, `${addresses.length} addresses`),
        ...problemIf(lost.length > 0, `it has lost ${lost}`),
        ...problemIf(unreachable.length > 0, `it is not reached at ${unreachable}`),
        ...problemIf(
          !/^default via fe80::\S+ dev eth0 proto ra /m.test(machine.ip('-6', 'route')),
          'the route of the honest router is gone',
        ),
        ...problemIf(
          !/have made too many routes, and are refused for a while/.test(machine.running.text()),
          'the log does not mention it',
        ),
      ],
    };
  },
};

/** Whether a host is told that nothing listens at the address. */
function canReach(host: Host, address: string): boolean {
  const target = `/dev/tcp/${address.replace(/\/.*/, '')}/9`;
  try {
    host.run('timeout', '10', 'bash', '-c', `exec 3<>${target}`);
    return true;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr).includes('refused');
  }
}

/** Asks for an address by DHCP for IPv6, with the hardware address as its id. */
const configuration = 'apiVersion: v1alpha1\nkind: DHCPv6Config\nname: eth0\nclientIdentifier: mac\n';

/** A real message for the machine and a transaction, with some bytes overwritten. */
function mutatedReply(next: (below: number) => number, transaction: number): Buffer {
  const { advertise, reply } = realInet6Messages;
  const message = Buffer.from(next(2) === 0 ? advertise : reply);
  message.writeUIntBE(transaction, 1, 3);
  const bytes = Buffer.from(machineHardware.replaceAll(':', ''), 'hex');
  // In its DUID, and the last four bytes as the id of its addresses.
  message.set(bytes, 12);
  message.set(bytes.subarray(2), 37);
  for (let count = next(5); count >= 0; count -= 1) message[4 + next(message.length - 4)] = next(256);
  return message.subarray(0, next(4) === 0 ? 4 + next(message.length - 4) : message.length);
}

/** Sends datagrams to the machine's client from the port of servers, and sees the transactions of the network. */
async function openReplies(scope: DisposableStack, machine: AttackedMachine, rogue: Host) {
  const seen = { transaction: 0 };
  const calls = await loadNativeCalls();
  using namespace = openNamespaceOf(rogue.pid);
  namespace.run(() => {
    const linkIndex = readLinks(calls).find(({ name }) => name === 'eth0')?.index ?? assert.fail();
    const common = { timers: systemTimers, onError: (error: unknown) => assert.fail(String(error)) };
    scope.use(
      openFrameSocket(calls, {
        ...{ ...common, linkIndex, etherType: inet6EtherType, filter: [], longestBytes: 2048 },
        onFrame(frame) {
          // The UDP port of servers, behind a header of Ethernet and one of IPv6.
          if (frame[20] === 17 && Buffer.from(frame).readUInt16BE(56) === 547)
            seen.transaction = Buffer.from(frame).readUIntBE(63, 3);
        },
      }),
    );
  });
  const socket = scope.use(
    namespace.run(() =>
      openInet6Socket(calls, {
        link: { name: 'eth0', index: readLinks(calls).find(({ name }) => name === 'eth0')?.index ?? 0 },
        ...{ port: 547, longestBytes: 1500, timers: systemTimers, onDatagram: () => {} },
        onError: (error) => assert.fail(String(error)),
      }),
    ),
  );
  const [, address = ''] =
    /inet6 (fe80::\S+)\//.exec(machine.ip('-6', 'addr', 'show', 'dev', 'eth0')) ?? assert.fail();
  return { seen, send: (reply: Uint8Array) => socket.send(reply, address, 546) };
}

const leasesOf = (machine: AttackedMachine) =>
  machine.inet6Addresses().filter((address) => address.endsWith('/128'));

const dhcp6Replies: NetworkAttack = {
  name: 'dhcp6-replies',
  what: '300 replies to a machine with a lease by DHCP for IPv6, mutated from real ones, then 10,000 for other transactions',
  limit: 'a message is read within its bounds or refused; 64 a second are read; the lease stays',
  seenToFail: 'replies of any server and for any transaction were taken, at any time',
  async run(bench) {
    const { machine, rogue, explain } = await openAdvertised(bench, configuration);
    await eventually(() => leasesOf(machine).length === 1, { what: 'a lease', timeoutMs, explain });
    const before = leasesOf(machine);
    using scope = new DisposableStack();
    const { seen, send } = await openReplies(scope, machine, rogue);
    // The machine asks whether its address belongs to the link, and the server answers as well.
    for (const state of ['down', 'up']) bench.lan.ip('link', 'set', machine.port, state);
    await eventually(() => seen.transaction !== 0, { what: 'a message of the machine', timeoutMs, explain });
    const next = numbers();
    const [replies, others] = bench.isShort ? [150, 3000] : [300, 10_000];
    for (let count = 0; count < replies; count += 1) {
      send(mutatedReply(next, seen.transaction));
      if (count % 30 === 29) await pause(500);
    }
    for (let count = 0; count < others; count += 1) {
      try {
        send(mutatedReply(next, count));
      } catch (error) {
        if (!isFull(error)) throw error;
      }
      if (count % 200 === 199) await pause(5);
    }
    await pause(1500);
    const after = leasesOf(machine);
    return {
      counts: { replies, others },
      problems: problemIf(after.join() !== before.join(), `it had ${before}, and has ${after}`),
    };
  },
};

export const inet6Attacks: readonly NetworkAttack[] = [advertisedNames, advertisementFlood, dhcp6Replies];
