import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import type { AttackTarget } from '../target/attack-target.ts';
import { emptyRequest, headersOf } from '../wire/call-frames.ts';
import { frameTypes } from '../wire/frame.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';
import { spellings } from './spellings.ts';

const version = '/machine.MachineService/Version';
const callers = 6;
/** What each caller keeps asking the dead node alone. */
const callsPerCaller = 8;
const nodesPerCall = 64;
const paceMs = 250;

/**
 * A node whose apid hangs: the system accepts connections and no handshake is ever answered. That is what a machine with a full disk or a
 * stopped process looks like, and each call to it waits for the time limit of connects.
 */
export const deadNodeFloods: readonly Flood[] = [
  {
    name: 'dead-node',
    what: `6 operators ask a node that hangs, alone and among ${nodesPerCall}, again and again`,
    run,
    judge: ({ calls = 0, dials = 0 }) =>
      calls > 0 && dials > 0 ? [] : [`${calls} calls, and the dead node was dialled ${dials} times`],
  },
];

async function run(target: AttackTarget, signal: AbortSignal) {
  const counts = { calls: 0, dials: 0, connections: 0, answers: 0 };
  using scope = new DisposableStack();
  const held = new Set<Socket>();
  const dead = createServer((socket) => {
    counts.dials += 1;
    held.add(socket.on('error', () => {}).on('close', () => held.delete(socket)));
  });
  scope.defer(() => {
    dead.close();
    for (const socket of held) socket.destroy();
  });
  const address = `127.${randomInt(64, 128)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  await once(dead.listen(ports.apid, address), 'listening');

  const alone = headersOf({ path: version, metadata: [['node', address]] });
  const names = [address, ...spellings(target.behind.name, nodesPerCall - 1)];
  const among = headersOf({ path: version, metadata: names.map((name) => ['nodes', name] as const) });
  const server = { host: target.entry.address, port: ports.apid };
  const opened: RawConnection[] = [];
  for (const credentials of target.reissued.slice(0, callers))
    opened.push(scope.use(await RawConnection.open(server, { credentials, signal })));
  counts.connections = opened.length;
  while (!signal.aborted) {
    for (const open of opened) {
      // One call to many nodes, then calls to the dead one: as many as have ended since the last round.
      const count = await open.room(callsPerCaller + 1 - open.openCalls);
      const streams = Array.from({ length: Math.max(0, count) }, () => open.stream());
      await open.send(
        ...streams.flatMap((stream, index) => [(index === 0 ? among : alone)(stream), emptyRequest(stream)]),
      );
      counts.calls += streams.length;
    }
    await sleep(paceMs);
  }
  counts.answers = opened.reduce((sum, open) => sum + open.count(frameTypes.data), 0);
  return counts;
}
