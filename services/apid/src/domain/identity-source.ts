import type { GatewayIdentity } from './gateway-identity.ts';

/**
 * Where apid learns who it is and whom it trusts. The first value comes at once, undefined when there is none yet; then
 * one for every change. Undefined means that apid must not serve. What cannot be read is not a change: the last good
 * value stays in force. Ends when `signal` is aborted.
 */
export interface IdentitySource {
  changes(signal: AbortSignal): AsyncIterable<GatewayIdentity | undefined>;
}
