// Clients that read nothing do not keep apid, and with it a reboot of the node, longer than its limits.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApidUnderTest } from '../../contract/apid/harness/apid-under-test.ts';
import { framed } from '../../contract/apid/harness/messages.ts';
import { emptyRequest, headersOf } from '../wire/call-frames.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { AttackCheck } from './check.ts';

const service = '/machine.MachineService';
const connections = 8;
const chunkBytes = 60_000;
const fillMs = 2000;
/** For a busy machine. */
const lateMs = 3000;

/** The time of a download, which all calls have that still may be read, and that for the last statuses. */
const limitMs = 10_500;
const kinds = [
  ['/cosi.resource.State/Watch', `${service}/Events`, `${service}/PacketCapture`],
  [`${service}/Logs`, `${service}/Dmesg`, `${service}/Copy`],
];

export const unreadStop: AttackCheck = {
  name: 'unread-stop',
  what: `apid is stopped while ${connections} clients read nothing of what they have asked for`,
  async run() {
    const stops: number[] = [];
    const problems: string[] = [];
    for (const calls of kinds) {
      const tookMs = await stopBeside(calls);
      stops.push(tookMs);
      if (tookMs > limitMs + lateMs)
        problems.push(`apid took ${tookMs} ms beside ${calls.join(', ')}: ${limitMs} are allowed`);
    }
    return { summary: `apid took ${stops.join(' and ')} ms`, problems };
  },
};

/** How long apid takes to stop, in milliseconds. Half of the clients read no bytes, the others open no window. */
async function stopBeside(calls: readonly string[]): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const apid = scope.use(
    await ApidUnderTest.start({
      machined({ stream, respond }) {
        stream.resume();
        respond();
        const message = framed(Buffer.alloc(chunkBytes));
        const write = () => {
          while (!stream.destroyed && stream.write(message));
        };
        stream.on('drain', write).on('error', () => {});
        write();
      },
    }),
  );
  const { cert: certificate, key } = await apid.authority.client('os:admin');
  const credentials = { certificate, key };
  const { signal } = new AbortController();
  for (let index = 0; index < connections; index += 1) {
    const server = { host: apid.host, port: apid.port };
    const open = scope.use(await RawConnection.open(server, { credentials, signal }));
    await open.room(1);
    const streams = calls.map((path) => ({ path, stream: open.stream() }));
    await open.send(
      ...streams.flatMap(({ path, stream }) => [headersOf({ path })(stream), emptyRequest(stream)]),
    );
    if (index % 2 === 0) open.socket.pause();
  }
  await apid.eventually('all calls', () => apid.machined.calls.length === connections * calls.length);
  await sleep(fillMs);
  const begunMs = performance.now();
  apid.process.signal('SIGTERM');
  await apid.process.exited;
  return Math.round(performance.now() - begunMs);
}
