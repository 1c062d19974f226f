// A hostile host on the lan of a machine that takes routers' advertisements.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
import type { Lan, LanMachine, Running } from './open-lan.ts';
import {
  advertisementFrame,
  domainsOption,
  inet6EtherType,
  openSender,
  prefixOption,
  serversOption,
} from './router-advertisement.ts';

export interface Inet6AttackTarget {
  /** It accepts advertisements on eth0, and an honest router advertises fd99::/64. */
  readonly machine: LanMachine;
  readonly running: Running;
  /** A host of the lan. */
  readonly rogue: LanMachine;
  /** A machine that has a lease of DHCP for IPv6, and the end of its cable. */
  readonly leased: { readonly machine: LanMachine; readonly running: Running };
  readonly lan: Lan;
}

export interface Inet6Attack {
  readonly name: string;
  /** What holds. */
  readonly what: string;
  readonly run: (target: Inet6AttackTarget) => Promise<void>;
}

const timeoutMs = 60_000;
const hardware = '02:00:00:00:00:66';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hex = (number: number) => number.toString(16);

const isRunning = ({ running: { child } }: Inet6AttackTarget) =>
  child.exitCode === null && child.signalCode === null;
const memoryMib = ({ running }: Pick<Inet6AttackTarget, 'running'>) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1]) / 1024;
const lineCount = ({ running }: Pick<Inet6AttackTarget, 'running'>) => running.text().split('\n').length;
const routeCount = ({ machine }: Inet6AttackTarget) => machine.ip('-6', 'route').split('\n').length;
const resolversOf = ({ running }: Inet6AttackTarget) =>
  running
    .text()
    .match(/^resolvers: .*$/gm)
    ?.at(-1) ?? '';

/** Whether a host is told that nothing listens at the address. */
function canReach(host: LanMachine, address: string): boolean {
  const target = `/dev/tcp/${address.replace(/\/.*/, '')}/9`;
  try {
    host.run('timeout', '10', 'bash', '-c', `exec 3<>${target}`);
    return true;
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr).includes('refused');
  }
}

/** Sends, and waits where the kernel takes no more frames. */
async function sendPatiently(sender: FrameSocket, frame: Uint8Array): Promise<void> {
  for (;;) {
    try {
      sender.send(frame);
      return;
    } catch (error) {
      if (!['ENOBUFS', 'EAGAIN'].includes((error as { code?: string }).code ?? '')) throw error;
      await pause(2);
    }
  }
}

export const inet6Attacks: readonly Inet6Attack[] = [
  {
    name: 'advertised-names',
    what: 'names and servers that no machine should use are dropped, and their number is limited',
    async run(target) {
      using sender = await openSender(target.rogue);
      const explain = () => target.running.text().slice(-3000);
      const send = (...options: Buffer[]) =>
        sendPatiently(
          sender,
          advertisementFrame({ router: 'fe80::66', hardware, routerSeconds: 0, options }),
        );
      const linesBefore = lineCount(target);
      await send(
        serversOption(
          3,
          '::',
          '::1',
          'ff02::1',
          'fe80::66',
          '::ffff:10.0.0.1',
          'fd99::ff:fe00:31',
          'fd66::1',
        ),
      );
      await send(
        domainsOption(
          3,
          'a\nnameserver 6',
          'bad\u001b[2J',
          'x'.repeat(63).concat('.y'.repeat(100)),
          'rogue.example',
        ),
      );
      // A damaged option, and one that claims more than it has.
      await send(Buffer.from([25, 1, 0, 0, 0, 0, 0, 9]), Buffer.from([31, 1, 0, 0, 0, 0, 0, 9]));
      await eventually(() => resolversOf(target).includes('rogue.example'), {
        what: 'the good one',
        timeoutMs,
        explain,
      });
      assert.match(resolversOf(target), /^resolvers: \S*fe80::66%eth0,fd66::1\S* \S*rogue\.example$/);
      assert.doesNotMatch(
        resolversOf(target),
        /[ ,]::|fe80::66(?!%eth0)|ff02|10\.0\.0\.1|fd99::ff:fe00:31|nameserver 6|bad/,
      );
      await eventually(() => !resolversOf(target).includes('rogue'), {
        what: 'the end of its lifetime',
        timeoutMs,
        explain,
      });
      // Each advertisement names other servers, for ever.
      for (let count = 0; count < 500; count += 1) {
        await send(serversOption(0xffff_ffff, ...[1, 2, 3].map((each) => `fd66:${hex(count)}::${each}`)));
        await send(domainsOption(2, `d${count}.example`));
      }
      await pause(1500);
      const servers = /fd66\S*/.exec(resolversOf(target))?.[0].split(',') ?? [];
      assert.ok(servers.length <= 12, `${servers}`);
      assert.ok(resolversOf(target).includes('fd99::53'), resolversOf(target));
      assert.ok(lineCount(target) - linesBefore < 60, target.running.text().slice(-5000));
      await send(serversOption(0, ...servers.filter((each) => each.startsWith('fd66'))));
      assert.ok(isRunning(target), explain());
    },
  },
  {
    name: 'advertisement-flood',
    what: 'addresses and routes of a flood of advertisements are limited, and the machine stays reachable and says so',
    async run(target) {
      const { machine, running, rogue } = target;
      using sender = await openSender(rogue);
      const explain = () => `${running.text().slice(-3000)}\n${machine.ip('-6', 'route').slice(0, 2000)}`;
      const kept = machine.inet6Addresses();
      const [memoryBefore, linesBefore] = [memoryMib(target), lineCount(target)];
      let most = 0;
      for (let count = 0; count < 800; count += 1) {
        const options = Array.from({ length: 40 }, (_, index) =>
          prefixOption(`fd66:${hex(count)}:${hex(index)}::/64`, 0xffff_ffff),
        );
        const router = `fe80::66:${hex(count)}`;
        await sendPatiently(sender, advertisementFrame({ router, hardware, routerSeconds: 9000, options }));
        if (count % 100 === 99) {
          await pause(50);
          most = Math.max(most, routeCount(target));
        }
      }
      await eventually(() => routeCount(target) < 100, {
        what: 'the end of the surplus',
        timeoutMs,
        explain,
      });
      assert.ok(isRunning(target), explain());
      const addresses = machine.inet6Addresses();
      assert.ok(addresses.length <= 16, `${addresses}`);
      for (const address of kept) assert.ok(addresses.includes(address), `${addresses}`);
      assert.match(machine.ip('-6', 'route'), /^default via fe80::\S+ dev eth0 proto ra /m);
      assert.match(running.text(), /have made too many routes, and are refused for a while/);
      // 10.99.0.1 and fd99::1 are the honest router.
      rogue.ip('addr', 'replace', 'fd99::66/64', 'dev', 'eth0', 'nodad');
      for (const address of [...kept, ...machine.addresses()]) assert.ok(canReach(rogue, address), address);
      const grownMib = memoryMib(target) - memoryBefore;
      process.stdout.write(
        `a flood of advertisements: ${most} routes at most, ${grownMib.toFixed(1)} MiB more\n`,
      );
      assert.ok(grownMib < 128, `${grownMib} MiB`);
      assert.ok(lineCount(target) - linesBefore < 60, running.text().slice(-5000));
    },
  },
  {
    name: 'dhcp6-replies',
    what: '300 replies of DHCP for IPv6 that were mutated from real ones, and a flood of others, change nothing',
    async run({ leased: { machine, running }, rogue, lan }) {
      const explain = () => running.text().slice(-3000);
      const before = leasesOf(machine);
      assert.equal(before.length, 1, explain());
      const [memoryBefore, linesBefore] = [memoryMib({ running }), lineCount({ running })];
      /** Of the exchange, which each host of the lan sees. */
      let transaction = 0;
      const calls = await loadNativeCalls();
      using namespace = openNamespaceOf(rogue.pid);
      const linkIndex = namespace.run(
        () => readLinks(calls).find(({ name }) => name === 'eth0')?.index ?? assert.fail(),
      );
      const common = { timers: systemTimers, onError: (error: unknown) => assert.fail(String(error)) };
      using _observer = namespace.run(() =>
        openFrameSocket(calls, {
          ...{ ...common, linkIndex, etherType: inet6EtherType, filter: [], longestBytes: 2048 },
          onFrame(frame) {
            // The UDP port of servers, behind a header of Ethernet and one of IPv6.
            if (frame[20] === 17 && Buffer.from(frame).readUInt16BE(56) === 547)
              transaction = Buffer.from(frame).readUIntBE(63, 3);
          },
        }),
      );
      using sender = namespace.run(() =>
        openInet6Socket(calls, {
          ...{ ...common, link: { name: 'eth0', index: linkIndex }, port: 547, longestBytes: 1500 },
          onDatagram: () => {},
        }),
      );
      const target =
        /inet6 (fe80::\S+)\//.exec(machine.ip('-6', 'addr', 'show', 'dev', 'eth0'))?.[1] ?? assert.fail();
      // The machine asks whether its address belongs to the link, and the server answers as well.
      for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
      await eventually(() => transaction !== 0, { what: 'a message of the machine', timeoutMs, explain });
      for (let count = 0; count < 300; count += 1) {
        sender.send(mutatedReply(machine, transaction), target, 546);
        if (count % 30 === 29) await pause(500);
      }
      for (let count = 0; count < 10_000; count += 1) {
        try {
          sender.send(mutatedReply(machine, count), target, 546);
        } catch (error) {
          if (!['ENOBUFS', 'EAGAIN'].includes((error as { code?: string }).code ?? '')) throw error;
        }
        if (count % 200 === 199) await pause(5);
      }
      await pause(1500);
      assert.ok(running.child.exitCode === null && running.child.signalCode === null, explain());
      assert.deepEqual(leasesOf(machine), before, explain());
      assert.ok(memoryMib({ running }) - memoryBefore < 64, explain());
      assert.ok(lineCount({ running }) - linesBefore < 40, running.text().slice(-5000));
    },
  },
];

const leasesOf = (machine: LanMachine) =>
  machine.inet6Addresses().filter((address) => address.endsWith('/128'));

/** Numbers that look random, and are the same in each run. */
let seed = 1;
const next = (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % below;
};

/** A real message for this client and transaction, with some bytes overwritten. */
function mutatedReply({ hardware: of }: LanMachine, transaction: number): Buffer {
  const { advertise, reply } = realInet6Messages;
  const message = Buffer.from(next(2) === 0 ? advertise : reply);
  message.writeUIntBE(transaction, 1, 3);
  const bytes = Buffer.from(of.replaceAll(':', ''), 'hex');
  // In its DUID, and the last four bytes as the id of its addresses.
  message.set(bytes, 12);
  message.set(bytes.subarray(2), 37);
  for (let count = next(5); count >= 0; count -= 1) message[4 + next(message.length - 4)] = next(256);
  return message.subarray(0, next(4) === 0 ? 4 + next(message.length - 4) : message.length);
}
