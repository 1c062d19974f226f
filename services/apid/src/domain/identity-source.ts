import type { GatewayIdentity } from './gateway-identity.ts';

/**
 * Supplies the identity of apid. It yields the first value at once, `undefined` when there is no identity
 * yet, and then a value per change. `undefined` means that apid must not serve. An unusable identity yields
 * no value: the last usable one stays in force. Ends when `signal` is aborted.
 */
export interface IdentitySource {
  changes(signal: AbortSignal): AsyncIterable<GatewayIdentity | undefined>;
}
