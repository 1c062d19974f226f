import { ports } from '@nodewright/contract';
import type { AttackTarget, CertificateKind } from '../target/attack-target.ts';
import { emptyRequest, headersOf } from '../wire/call-frames.ts';
import { frameTypes } from '../wire/frame.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';

/** Most calls in one run: apid refuses further calls of the client before this number. */
const cancelsPerRun = 7_000;
/** Number of calls before a client disconnects, in the variant that does so. */
const callsPerConnection = 1_200;
const batch = 100;
const events = '/machine.MachineService/Events';

type Way = 'disconnects' | 'cancels each call';

function cancels(name: string, kind: CertificateKind, way: Way, throughHop: boolean): Flood {
  const where = throughHop ? ', through a hop' : '';
  return {
    name,
    what: `a client with the certificate "${kind}" opens calls and ${way}${where}`,
    run: (target, signal) => run(target, kind, way, throughHop, signal),
  };
}

export const cancelFloods: readonly Flood[] = [
  cancels('cancels-no-role', 'no-role', 'disconnects', false),
  cancels('cancels-no-role-hop', 'no-role', 'disconnects', true),
  cancels('disconnects-reader', 'reader', 'disconnects', false),
  cancels('cancels-reader', 'reader', 'cancels each call', false),
  cancels('disconnects-reader-hop', 'reader', 'disconnects', true),
  cancels('cancels-reader-hop', 'reader', 'cancels each call', true),
];

async function run(
  target: AttackTarget,
  kind: CertificateKind,
  way: Way,
  throughHop: boolean,
  signal: AbortSignal,
) {
  const metadata = throughHop ? ([['node', target.behind.address]] as const) : [];
  const headers = headersOf({ path: events, metadata });
  const server = { host: target.entry.address, port: ports.apid };
  const counts = { calls: 0, connections: 0, refusedConnections: 0, goAways: 0 };
  while (counts.calls < cancelsPerRun && !signal.aborted) {
    let connection: RawConnection;
    try {
      connection = await RawConnection.open(server, { credentials: target.certificates[kind], signal });
    } catch {
      counts.refusedConnections += 1;
      await new Promise((wait) => setTimeout(wait, 50));
      continue;
    }
    counts.connections += 1;
    using open = connection;
    for (let calls = 0; calls < callsPerConnection && open.isOpen && !signal.aborted; ) {
      const count = await open.room(batch);
      if (count === 0) break;
      const streams = Array.from({ length: count }, () => open.stream());
      await open.send(...streams.flatMap((stream) => [headers(stream), emptyRequest(stream)]));
      // Wait, so that the calls reach the daemon behind apid before they are cancelled.
      await new Promise((wait) => setTimeout(wait, 20));
      if (way === 'cancels each call') await open.cancel(streams);
      calls += count;
      counts.calls += count;
    }
    counts.goAways += open.count(frameTypes.goAway);
  }
  return counts;
}
