import type { H2Limits } from '../engine.ts';

/** More resets than a connection can carry, in all and per second. The library keeps 32 bits of it. */
const unlimitedResets = 2 ** 31;

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
    // Else the library drops such a field, and a call for the node ` node02` would be answered here.
    strictFieldWhitespaceValidation: false,
    // gRPC metadata may repeat any field.
    strictSingleValueFields: false,
    // A call that ends counts here until the library has let go of it: a client within its limit may seem to pass it.
    maxSessionRejectedStreams: 2 ** 31,
    // Cancels are counted here (H2Limits.cancels). The library's own defence breaks every call of the connection.
    streamResetBurst: unlimitedResets,
    streamResetRate: unlimitedResets,
  };
}
