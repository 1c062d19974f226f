import { WatchRequest, WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { dialUnix, frameEngine, gatewayLimits, streamAnswers } from '@nodewright/h2';
import type { StateConnection } from './follow-state.ts';

/** Source: Talos v1.14: resource access granted to apid. */
const maxMessageBytes = 4 * 1024 * 1024;

/**
 * Connects to a state on a unix socket, for watches only. It uses the HTTP/2 client of the gateway, not the
 * gRPC library: the library takes three times as long to its first response, which would delay the start of a
 * node.
 */
export async function dialState(path: string, signal: AbortSignal): Promise<StateConnection> {
  const connection = frameEngine.connect(await dialUnix(path, signal), gatewayLimits);
  return {
    client: {
      async *watch(request, options) {
        const call = {
          path: '/cosi.resource.State/Watch',
          authority: 'localhost',
          request: WatchRequest.encode(request).finish(),
          maxMessageBytes,
          signal: options.signal,
        };
        for await (const message of streamAnswers(connection, call)) yield WatchResponse.decode(message);
      },
    },
    [Symbol.dispose]: () => connection.destroy(),
  };
}
