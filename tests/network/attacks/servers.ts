// Servers and hosts that claim what others have, and servers and cables that come and go.
import { encodeMessage, messageTypes, optionCodes } from '@nodewright/dhcp';
import { TestServer } from '@nodewright/dhcp/testing';
import { eventually } from '@nodewright/testkit';
import { type AttackedMachine, answersOf, type Host, pause } from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 120_000;
const honest = '10.99.0.2';
const rogue = '10.99.0.66';
const leased = '10.99.0.60';

const explainOf = (machine: AttackedMachine) => () => machine.running.text().slice(-3000);

async function untilLeased(machine: AttackedMachine, address: string): Promise<void> {
  const explain = explainOf(machine);
  await eventually(() => machine.addresses().join() === `${address}/24`, {
    what: address,
    timeoutMs,
    explain,
  });
}

const countOf = (machine: AttackedMachine, text: string) => machine.running.text().split(text).length - 1;

const dhcpRogueServer: NetworkAttack = {
  name: 'dhcp-rogue-server',
  what: 'a second server answers each message of the machine first, with refusals, grants and offers of other addresses and routes',
  limit: 'before T2 only the server of a lease decides about it',
  seenToFail: 'any server could refuse and grant a lease',
  async run({ lan, isShort, openMachine, openHost }) {
    const server = new TestServer({ id: honest, addresses: [leased], leaseSeconds: 12 });
    let answered = 0;
    let lies = 0;
    let other: Host | undefined;
    await openHost('honest', honest, (message) => {
      const reply = server.answer(message);
      // It knows the transaction, as if it could see each message. While the machine has no lease it may grant one, too.
      if (reply !== undefined && answered >= 2 && other !== undefined) {
        const route = Uint8Array.of(24, 10, 77, 0, 10, 99, 0, 66);
        const lie = (type: number, yourAddress: string) => {
          const options = new Map([
            ...reply.options,
            [optionCodes.messageType, Uint8Array.of(type)],
            [optionCodes.serverId, Uint8Array.of(10, 99, 0, 66)],
            [optionCodes.classlessRoutes, route],
          ] as const);
          lies += 1;
          other?.send(encodeMessage({ ...reply, yourAddress, options }));
        };
        lie(messageTypes.nak, '0.0.0.0');
        lie(messageTypes.ack, leased);
        lie(messageTypes.ack, '10.99.0.99');
        lie(messageTypes.offer, '10.99.0.98');
      }
      answered += 1;
      return reply && encodeMessage(reply);
    });
    other = await openHost('rogue', rogue);
    const machine = await openMachine();
    await untilLeased(machine, leased);
    const explain = explainOf(machine);
    const renewals = isShort ? 1 : 4;
    const before = answered;
    await eventually(() => answered >= before + renewals, { what: 'renewals', timeoutMs, explain });
    for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
    const pulled = answered;
    await eventually(() => answered > pulled, { what: 'a request after the cable', timeoutMs, explain });
    await pause(2000);
    const problems = [
      ...(machine.addresses().join() === `${leased}/24` ? [] : [`it has ${machine.addresses().join()}`]),
      ...(machine.ip('route').includes(rogue) ? ['it has a route of the second server'] : []),
      ...(countOf(machine, 'has lost its address') === 0 ? [] : ['it lost its address']),
      ...(lies > 0 ? [] : ['the second server said nothing']),
    ];
    return { counts: { lies }, problems };
  },
};

const duplicateAddress: NetworkAttack = {
  name: 'duplicate-address',
  what: 'another host has each address that the server gives, except the last one',
  limit: 'an address that another host has is declined; then 10 s pass before the next question',
  seenToFail: 'there was no pause after a DECLINE',
  async run({ isShort, openMachine, openHost }) {
    const taken = isShort ? ['10.99.0.40'] : ['10.99.0.40', '10.99.0.41', '10.99.0.42'];
    const host = await openHost('host', taken[0] ?? '');
    for (const address of taken.slice(1)) host.ip('addr', 'add', `${address}/24`, 'dev', 'eth0');
    const server = new TestServer({ id: honest, addresses: [...taken, leased], leaseSeconds: 600 });
    const discoveries: number[] = [];
    await openHost('server', honest, (message, from) => {
      if (message.options.get(optionCodes.messageType)?.[0] === messageTypes.discover)
        discoveries.push(performance.now());
      return answersOf(server)(message, from);
    });
    const machine = await openMachine();
    await untilLeased(machine, leased);
    const declined = server.received.filter(
      ({ options }) => options.get(optionCodes.messageType)?.[0] === messageTypes.decline,
    ).length;
    const pauses = discoveries.slice(1).map((at, index) => at - (discoveries[index] ?? 0));
    return {
      counts: { addresses: taken.length },
      problems: [
        ...(declined === taken.length ? [] : [`${declined} of ${taken.length} addresses were declined`]),
        // The probe before a DECLINE takes time as well.
        ...(pauses.every((ms) => ms > 9900) ? [] : [`it asked again after ${pauses.join(', ')} ms`]),
        ...(countOf(machine, `${taken[0]} is declined`) === 1 ? [] : ['the log does not say why']),
      ],
    };
  },
};

const serverAway: NetworkAttack = {
  name: 'dhcp-server-away',
  what: 'the server is away when the lease ends, and comes back later',
  limit: 'the address goes with the end of its lease; the machine asks again at least every 64 s',
  seenToFail: 'the end of a lease did not take its address',
  async run({ openMachine, openHost }) {
    const server = new TestServer({ id: honest, addresses: [leased], leaseSeconds: 10 });
    await openHost('server', honest, answersOf(server));
    const machine = await openMachine();
    await untilLeased(machine, leased);
    server.isAway = true;
    const explain = explainOf(machine);
    await eventually(() => machine.addresses().length === 0, {
      what: 'the end of the lease',
      timeoutMs,
      explain,
    });
    await pause(500);
    const problems = [
      ...(machine.ip('route').includes(honest) ? ['a route of the lease is left'] : []),
      ...(countOf(machine, 'has lost its address') === 1 ? [] : ['the log does not say it']),
    ];
    server.isAway = false;
    await untilLeased(machine, leased);
    return { counts: { leases: 2 }, problems };
  },
};

const cablePulled: NetworkAttack = {
  name: 'cable-pulled',
  what: 'the cable of a machine with a lease is pulled and put back a hundred times',
  limit: 'one message a second; the address stays while its lease goes on',
  seenToFail: 'a link that went down gave its lease up',
  async run({ lan, openMachine, openHost }) {
    const server = new TestServer({ id: honest, addresses: [leased], leaseSeconds: 600 });
    await openHost('server', honest, answersOf(server));
    const machine = await openMachine();
    await untilLeased(machine, leased);
    const explain = explainOf(machine);
    const hasRoute = () => machine.ip('route').includes(`default via ${honest} `);
    await eventually(hasRoute, { what: 'a route', timeoutMs, explain });
    const before = server.received.length;
    const startMs = performance.now();
    let wasLost = false;
    for (let count = 0; count < 100; count += 1) {
      for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
      // Long enough for the machine to see some of them, and too short for others.
      if (count % 10 === 9) await pause(300);
      wasLost ||= machine.addresses().length === 0;
    }
    await eventually(hasRoute, { what: 'a route again', timeoutMs, explain });
    await pause(3000);
    const seconds = (performance.now() - startMs) / 1000;
    const sent = server.received.length - before;
    return {
      counts: { pulls: 100, messages: sent },
      problems: [
        ...(wasLost ? ['it had no address meanwhile'] : []),
        ...(sent >= 1 ? [] : ['it never verified its address']),
        ...(sent <= seconds + 2 ? [] : [`${sent} messages in ${seconds.toFixed(1)} s`]),
        ...(countOf(machine, 'has lost its address') === 0 ? [] : ['it lost its address']),
      ],
    };
  },
};

export const serverAttacks: readonly NetworkAttack[] = [
  dhcpRogueServer,
  duplicateAddress,
  serverAway,
  cablePulled,
];
