import { ports } from '@nodewright/contract';
import type { LoadTarget } from '../../bench/load/load-job.ts';
import { openLoadClient } from '../../bench/load/open-load-client.ts';
import type { AttackTarget } from '../target/attack-target.ts';

const streamCounts = [1, 16, 64];
const measureMs = 2_500;
const warmupMs = 500;
const version = '/machine.MachineService/Version';

/** Makes the requests of `make bench`, so that the daemons have the memory level of ordinary use. */
export async function applyOrdinaryLoad({ entry, behind, ca, certificates }: AttackTarget): Promise<void> {
  const { certificate, key } = certificates.admin;
  const target: LoadTarget = { kind: 'tls', host: entry.address, port: ports.apid, ca, certificate, key };
  await using client = openLoadClient();
  const ways = [
    [],
    [['node', behind.address]],
    [
      ['nodes', entry.address],
      ['nodes', behind.address],
    ],
  ] as const;
  for (const metadata of ways) {
    const { message } = await client.run({ kind: 'probe', target, method: version, metadata });
    const replyBytes = Buffer.from(message, 'base64').length;
    for (const streams of streamCounts) {
      await client.run({
        ...{ kind: 'unary', target, method: version, metadata, streams, replyBytes },
        ...{ connections: Math.ceil(streams / 16), warmupMs, measureMs, watchedPids: [] },
      });
    }
  }
}
