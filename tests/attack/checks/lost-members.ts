// apid looks for members that refused a connection, so that calls reach them as soon as they are back. A cluster that is lost as a whole
// must not make it dial without end.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { ApidUnderTest } from '../../contract/apid/harness/apid-under-test.ts';
import type { AttackCheck } from './check.ts';

const members = 200;
const durationMs = 12_000;
/** A caller of which every call fails may make 200 per second. */
const paceMs = 10;
/** What docs/limits.md promises, and a fifth more: the attack counts a dial when it arrives. */
const burst = 25;
const perSecond = 50;
const tolerance = 1.2;
const addressOf = (index: number) => `127.254.4.${index + 1}`;
const nameOf = (index: number) => `lost${index}`;

export const lostMembers: AttackCheck = {
  name: 'lost-members',
  what: `a caller asks ${members} members that take no connection, again and again`,
  async run() {
    await using scope = new AsyncDisposableStack();
    let arrived = 0;
    for (let index = 0; index < members; index += 1) {
      const server = createServer((socket) => {
        arrived += 1;
        socket.destroy();
      });
      scope.defer(() => void server.close());
      await once(server.listen(ports.apid, addressOf(index)), 'listening');
    }
    const apid = scope.use(
      await ApidUnderTest.start({
        runtime: {
          members: Array.from({ length: members }, (_, index) => ({
            ...{ hostname: nameOf(index), addresses: [addressOf(index)] },
          })),
        },
      }),
    );
    const caller = await apid.client('os:reader');
    let ofCalls = 0;
    let calls = 0;
    const ask = async (node: string) => {
      const { code, message } = await caller.call('/machine.MachineService/Version', {
        metadata: [['node', node]],
      });
      calls += 1;
      // Without this phrase the call itself has dialled.
      if (code === 14 && !message.includes('next attempt in')) ofCalls += 1;
    };
    const begunMs = performance.now();
    const pending: Promise<void>[] = [];
    for (let index = 0; performance.now() - begunMs < durationMs; index += 1) {
      pending.push(ask(nameOf(index % members)));
      await sleep(paceMs);
    }
    const seconds = (performance.now() - begunMs) / 1000;
    const probes = arrived - ofCalls;
    await Promise.all(pending);
    const most = Math.round((burst + perSecond * seconds) * tolerance);
    return {
      summary: `${calls} calls, of which ${ofCalls} dialled, and ${probes} dials of apid in ${seconds.toFixed(0)} s`,
      problems: [
        ...(probes > most ? [`apid made ${probes} dials of its own, ${most} are allowed`] : []),
        ...(probes > burst ? [] : [`apid made ${probes} dials of its own: too few to see a limit`]),
      ],
    };
  },
};
