import { gatewayLimits, type H2Limits } from '@nodewright/h2';
import {
  callGrowth,
  callsPerConnection,
  conductLimits,
  gatewayShares,
  metadataBytes,
  streamWindowBytes,
} from '../domain/limits.ts';

/** HTTP/2 as clients get it. */
export const clientLimits: H2Limits = {
  ...gatewayLimits,
  streamWindowBytes,
  maxHeaderListBytes: metadataBytes,
  maxConcurrentCalls: callsPerConnection,
  growth: callGrowth,
  cancels: conductLimits.cancels,
};

/** The same on the further connections of a client that has several. */
export const furtherClientLimits: H2Limits = {
  ...clientLimits,
  growth: { ...callGrowth, first: callGrowth.firstOfFurther, settled: callGrowth.firstOfFurther },
};

/** HTTP/2 as another apid gets it, which carries the calls of many and has limited each. */
export const apidLimits: H2Limits = {
  ...gatewayLimits,
  maxHeaderListBytes: metadataBytes,
  maxConcurrentCalls: gatewayShares.callsPerApid,
};

/** HTTP/2 as backends get it: an answer that nobody reads waits at its sender. */
export const backendLimits: H2Limits = { ...gatewayLimits, streamWindowBytes };
