// A hostile host that sends many messages, and a server that never says the same twice.
import assert from 'node:assert/strict';
import { optionCodes } from '@nodewright/dhcp';
import { realMessages, TestServer } from '@nodewright/dhcp/testing';
import { eventually } from '@nodewright/testkit';
import {
  type AttackBench,
  type AttackedMachine,
  answersOf,
  isFull,
  machineHardware,
  numbers,
  pause,
} from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 120_000;
const rogue = '10.99.0.66';
const leased = '10.99.0.60';

/** A real message for this transaction, with some bytes overwritten, most of them in its options. */
function mutated(next: (below: number) => number, transaction: number): Buffer {
  const kinds = [realMessages.offer, realMessages.ack, realMessages.nak];
  const message = Buffer.from(kinds[next(kinds.length)] ?? assert.fail());
  message.writeUInt32BE(transaction, 4);
  message.write(machineHardware.replaceAll(':', ''), 28, 'hex');
  for (let count = next(5); count >= 0; count -= 1)
    message[next(6) === 0 ? next(message.length) : 240 + next(message.length - 240)] = next(256);
  return message.subarray(0, next(4) === 0 ? next(message.length) : message.length);
}

/** A machine that asks, and a host that sees its transaction and answers nothing. */
async function openAsking({ openHost, openMachine }: AttackBench) {
  const seen = { asked: 0, transactionId: 0, server: undefined as TestServer | undefined };
  const host = await openHost('rogue', rogue, (message, from) => {
    seen.asked += 1;
    seen.transactionId = message.transactionId;
    return seen.server && answersOf(seen.server)(message, from);
  });
  const machine = await openMachine();
  const explain = () => machine.running.text().slice(-2000);
  await eventually(() => seen.asked > 0, { what: 'a request', timeoutMs, explain });
  return { host, machine, seen, explain };
}

type Asking = Awaited<ReturnType<typeof openAsking>>;

/** After an attack the machine takes the lease of an honest server. A cable that is put back makes it ask at once. */
async function takesLease({ lan }: AttackBench, { machine, seen, explain }: Asking): Promise<void> {
  seen.server = new TestServer({ id: rogue, addresses: [leased], leaseSeconds: 600 });
  for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
  const hasAddress = () => machine.addresses().includes(`${leased}/24`);
  await eventually(hasAddress, { what: 'an address of an honest server', timeoutMs, explain });
}

const dhcpMutated: NetworkAttack = {
  name: 'dhcp-mutated',
  what: '300 replies to a machine that asks, mutated from real ones',
  limit: 'a message is read within its bounds or refused; the machine asks on',
  seenToFail: 'neither the reader of messages nor the socket caught the error of one that cannot be read',
  async run(bench) {
    const asking = await openAsking(bench);
    const next = numbers();
    for (let count = 0; count < 300; count += 1) {
      asking.host.send(mutated(next, asking.seen.transactionId));
      if (count % 10 === 9) await pause(50);
    }
    await takesLease(bench, asking);
    return { counts: { messages: 300 }, problems: [] };
  },
};

const dhcpFlood: NetworkAttack = {
  name: 'dhcp-flood',
  what: '20,000 mutated replies, half of them to the transaction of the machine, as fast as a link takes them',
  limit:
    '256 frames a second are read, others are dropped by the kernel; 10 lines a minute are logged; 2 messages a second are sent',
  seenToFail: 'the same as for dhcp-mutated',
  async run(bench) {
    const asking = await openAsking(bench);
    const next = numbers();
    const most = bench.isShort ? 5000 : 20_000;
    const before = asking.seen.asked;
    const cpuBefore = asking.machine.cpuMs();
    const startMs = performance.now();
    let refused = 0;
    for (let count = 0; count < most; count += 1) {
      try {
        asking.host.send(mutated(next, count % 2 === 0 ? asking.seen.transactionId : count));
      } catch (error) {
        if (!isFull(error)) throw error;
        refused += 1;
      }
      // Few enough for the buffer of the machine.
      if (count % 50 === 49) await pause(2);
    }
    const cpuMs = asking.machine.cpuMs() - cpuBefore;
    const seconds = (performance.now() - startMs) / 1000;
    const sent = asking.seen.asked - before;
    await takesLease(bench, asking);
    return {
      counts: { messages: most - refused, answers: sent, msOfMachine: cpuMs },
      problems: [
        ...(refused < most / 2 ? [] : [`the kernel refused ${refused}`]),
        ...(sent <= 2 * seconds + 4 ? [] : [`the machine sent ${sent} messages in ${seconds.toFixed(1)} s`]),
      ],
    };
  },
};

/** Routes through the broadcast address, through the machine itself and through a host, to networks that differ with each number. */
function otherRoutes(number: number): Uint8Array {
  const gateways = [255, 60, 66];
  const routes = Array.from({ length: 30 }, (_, index) => [
    ...[24, 11 + (number % 90), number % 256, index],
    ...[10, 99, 0, gateways[index % gateways.length] ?? assert.fail()],
  ]);
  return Uint8Array.from(routes.flat());
}

const routesOf = (machine: AttackedMachine) => machine.ip('route').match(/^\S+ via 10\.99\.0\.66 /gm) ?? [];

const dhcpOtherRoutes: NetworkAttack = {
  name: 'dhcp-other-routes',
  what: 'a server sends thirty other routes with each renewal of a lease of 10 s',
  limit:
    'what a renewal changes acts once a minute; no route goes through the machine itself or a broadcast address',
  seenToFail: 'changes by renewals acted at once',
  async run({ isShort, openHost, openMachine }) {
    let asked = 0;
    const server = new TestServer({ id: rogue, addresses: [leased], leaseSeconds: 10 });
    await openHost('rogue', rogue, (message, from) => {
      asked += 1;
      server.options = new Map([[optionCodes.classlessRoutes, otherRoutes(asked)]]);
      return answersOf(server)(message, from);
    });
    const machine = await openMachine();
    const explain = () => machine.running.text().slice(-2000);
    await eventually(() => routesOf(machine).length > 0, { what: 'a route', timeoutMs, explain });
    await pause(1000);
    const first = routesOf(machine);
    const before = asked;
    const renewals = isShort ? 2 : 6;
    await eventually(() => asked >= before + renewals, { what: 'renewals', timeoutMs, explain });
    await pause(1000);
    return {
      counts: { renewals, routes: 30 * renewals },
      problems: [
        ...(first.length === 10 ? [] : [`it has ${first.length} routes through the host`]),
        ...(routesOf(machine).join() === first.join() ? [] : ['the routes changed with a renewal']),
      ],
    };
  },
};

export const messageAttacks: readonly NetworkAttack[] = [dhcpMutated, dhcpFlood, dhcpOtherRoutes];
