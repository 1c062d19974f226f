// What a client of gRPC needs. A program that makes a few calls loads nothing of the servers and pools.
export type { CallFailure, OutboundCall, OutboundReceiver } from './call.ts';
export { type ClientConnection, gatewayLimits, type H2Limits, Http2Violation } from './engine.ts';
export { h2ErrorCodes } from './error-codes.ts';
export { frameEngine } from './frame-engine/frame-engine.ts';
export { grpcCodeFromHttpStatus, statusFromHeaders } from './grpc-status.ts';
export { MessageCollector, messagePrefix, OversizeMessage } from './message-collector.ts';
export { headerValue, type RawHeaders } from './raw-headers.ts';
