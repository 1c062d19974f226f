import type { H2Limits } from '../engine.ts';

/**
 * More resets than a connection can carry, in total and per second. The library uses 32 bits of the number.
 */
const unlimitedResets = 2 ** 31;

/** Converts our limits to options of node:http2, for sessions of both roles. */
export function sessionOptions(limits: H2Limits) {
  return {
    settings: {
      initialWindowSize: limits.streamWindowBytes,
      maxConcurrentStreams: limits.maxConcurrentCalls,
      maxHeaderListSize: limits.maxHeaderListBytes,
      enablePush: false,
    },
    // In MB. A stream must not be refused because other streams of the session hold data; the windows already
    // limit the memory.
    maxSessionMemory: 4096,
    maxHeaderListPairs: 4096,
    maxSendHeaderBlockLength: limits.maxHeaderListBytes,
    // With strict validation the library drops such fields, and apid would serve a call for the node `
    // node02` itself.
    strictFieldWhitespaceValidation: false,
    // gRPC metadata may repeat any field.
    strictSingleValueFields: false,
    // The library counts a finished call until it has freed it, so a client within its limit may seem to
    // exceed it.
    maxSessionRejectedStreams: 2 ** 31,
    // `H2Limits.cancels` limits cancels. The library's own protection would break every call of the
    // connection.
    streamResetBurst: unlimitedResets,
    streamResetRate: unlimitedResets,
  };
}
