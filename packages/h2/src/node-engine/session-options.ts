import type { H2Limits } from '../engine.ts';

/** How node:http2 is told our limits, for sessions of both roles. */
export function sessionOptions(limits: H2Limits) {
  return {
    settings: {
      initialWindowSize: limits.streamWindowBytes,
      maxConcurrentStreams: limits.maxConcurrentCalls,
      maxHeaderListSize: limits.maxHeaderListBytes,
      enablePush: false,
    },
    // One stream of a session must not be refused because others hold data: windows bound the memory already. MB.
    maxSessionMemory: 4096,
    maxHeaderListPairs: 4096,
    maxSendHeaderBlockLength: limits.maxHeaderListBytes,
    // gRPC metadata may repeat any field.
    strictSingleValueFields: false,
    // Clients that cancel watches in bulk are not an attack; floods beyond this still end the connection.
    streamResetBurst: 10_000,
    streamResetRate: 1000,
  };
}
