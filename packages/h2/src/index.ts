export { addressBlock } from './address-block.ts';
export { BackendPool, type BackendPoolInit, type BackendTarget, poolTimeouts } from './backend-pool.ts';
export { backoffDelayMs } from './backoff.ts';
export { ByteBudget } from './byte-budget.ts';
export type * from './call.ts';
export { dialTls, type TlsDial, tlsCredentials } from './dial-tls.ts';
export { dialUnix } from './dial-unix.ts';
export * from './engine.ts';
export * from './engines.ts';
export * from './error-codes.ts';
export { frameEngine } from './frame-engine/frame-engine.ts';
export {
  type Admission,
  GatewayServer,
  type GatewayServerInit,
  type Handshake,
  type ServerCredentials,
} from './gateway-server.ts';
export * from './grpc-status.ts';
export * from './grpc-timeout.ts';
export { HandshakeGate, type HandshakeLimits } from './handshake-gate.ts';
export * from './hop-fields.ts';
export type { ListenAddress } from './listen-alone.ts';
export { loggedMetadata } from './logged-metadata.ts';
export * from './message-collector.ts';
export { MessageScanner } from './message-scanner.ts';
export { monotonicMs } from './monotonic.ts';
export { nodeEngine } from './node-engine/node-engine.ts';
export * from './pump.ts';
export * from './raw-headers.ts';
export { isRepeated, keepEncoding, markRepeated } from './repeated-headers.ts';
export { sendStatus } from './send-status.ts';
export { type StreamedCall, streamAnswers } from './stream-answers.ts';
export { type RateLimits, TokenBucket } from './token-bucket.ts';
