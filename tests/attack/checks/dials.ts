import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const attempts = 50;
const permissionDenied = 7;
/** An address outside 127.0.0.0/16, from which clusters of processes take theirs. */
const listenerHost = '127.254.3.1';

export const dials: AttackCheck = {
  name: 'dials',
  what: 'a caller without a role names an address of its own as the node',
  async run({ target }) {
    let dialled = 0;
    const server = createServer((socket) => {
      dialled += 1;
      socket.destroy();
    });
    server.listen(ports.apid, listenerHost);
    await once(server, 'listening');
    const codes: (number | undefined)[] = [];
    try {
      for (const kind of ['no-role', 'unknown-role'] as const) {
        using caller = await Caller.open(
          { host: target.entry.address, port: ports.apid },
          target.certificates[kind],
        );
        for (let attempt = 0; attempt < attempts; attempt += 1) {
          const metadata = [[attempt % 2 === 0 ? 'node' : 'nodes', listenerHost]] as const;
          codes.push((await caller.call({ path: '/machine.MachineService/Version', metadata })).code);
        }
      }
      await sleep(500);
    } finally {
      server.close();
    }
    const others = codes.filter((code) => code !== permissionDenied);
    return {
      summary: `${codes.length} calls, ${dialled} dials`,
      problems: [
        ...(dialled > 0 ? [`apid dialled the address ${dialled} times`] : []),
        ...(others.length > 0
          ? [`${others.length} calls had another code than PermissionDenied: ${others[0]}`]
          : []),
      ],
    };
  },
};
