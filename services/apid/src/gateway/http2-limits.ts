import { gatewayLimits, type H2Limits } from '@nodewright/h2';
import {
  callGrowth,
  callsPerConnection,
  conductLimits,
  connectionTimes,
  gatewayShares,
  metadataBytes,
  strangerLimits,
  streamWindowBytes,
} from '../domain/limits.ts';

/** HTTP/2 settings and limits for connections of clients. */
export const clientLimits: H2Limits = {
  ...gatewayLimits,
  streamWindowBytes,
  maxHeaderListBytes: metadataBytes,
  maxConcurrentCalls: callsPerConnection,
  growth: callGrowth,
  cancels: conductLimits.cancels,
  prefaceTimeoutMs: connectionTimes.prefaceMs,
  settingsTimeoutMs: connectionTimes.settingsMs,
  idleMs: connectionTimes.idleMs,
};

/** The same for further connections of a client that already has several. */
export const furtherClientLimits: H2Limits = {
  ...clientLimits,
  growth: { ...callGrowth, first: callGrowth.firstOfFurther, settled: callGrowth.firstOfFurther },
};

/** The same for a client without a certificate while others need one. */
export const strangerClientLimits: H2Limits = {
  ...clientLimits,
  maxConcurrentCalls: strangerLimits.callsPerConnection,
  growth: undefined,
  idleMs: strangerLimits.idleMs,
};

/** The same for connections of another apid, which carries calls of many clients and limits each of them. */
export const apidLimits: H2Limits = {
  ...gatewayLimits,
  maxHeaderListBytes: metadataBytes,
  maxConcurrentCalls: gatewayShares.callsPerApid,
};

/** The same for connections to backends: a response that the client does not read stays at its sender. */
export const backendLimits: H2Limits = { ...gatewayLimits, streamWindowBytes };
