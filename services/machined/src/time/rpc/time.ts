import type { TimeServiceImplementation } from '@nodewright/contract/gen/time/time.ts';
import { Fault } from '@nodewright/fault';
import { querySntp, type WallClock } from '@nodewright/sntp';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import { timestampFromUnixMs } from '../../base/rpc/timestamp.ts';

export interface TimeServiceInit {
  /** The server that Time queries: `host` or `host:port`. */
  readonly server: () => string;
  readonly timeoutMs: number;
  readonly clock: WallClock;
  readonly telemetry: Telemetry;
}

/**
 * Implements Time and TimeCheck: the time of a server and of the node at the same moment. They do not set the
 * clock.
 */
export function createTimeService(init: TimeServiceInit): TimeServiceImplementation {
  const { clock, timeoutMs, telemetry } = init;
  const ask = async (server: string, signal: AbortSignal) => {
    const answer = await inSpan(
      telemetry,
      'query time server',
      () => querySntp({ server, timeoutMs, clock, signal }),
      {
        attributes: { 'server.address': server },
      },
    );
    return {
      messages: [
        {
          server,
          localtime: timestampFromUnixMs(answer.localTimeMs),
          remotetime: timestampFromUnixMs(answer.remoteTimeMs),
        },
      ],
    };
  };

  return {
    time: (_request, { signal }) => ask(init.server(), signal),
    async timeCheck({ server }, { signal }) {
      if (server === '') throw new Fault('invalid-argument', 'ntp server is required');
      return await ask(server, signal);
    },
  };
}
