export { annotateRequest, keepOutOfLog } from './log-middleware.ts';
export * from './reloading-server-credentials.ts';
export * from './rpc-client.ts';
export * from './rpc-server.ts';
export type * from './rpc-service.ts';
export { statusText } from './status-text.ts';
export { undecodableFault } from './tolerant-decoding.ts';
export { localTransportLimits, type TransportLimits } from './transport-limits.ts';
export { unknownMethodText } from './unknown-method.ts';
