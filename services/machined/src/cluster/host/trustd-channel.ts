import { checkServerIdentity } from 'node:tls';
import { type Channel, ChannelCredentials, createChannel } from 'nice-grpc';
import type { TrustdEndpoint } from '../domain/trustd-endpoints.ts';

/** The gRPC library refuses addresses as TLS names, so it is given this name and the check is made here. */
const anyServerName = 'trustd';

/** An endpoint as messages show it. */
export const endpointText = ({ host, port }: TrustdEndpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * A channel to the trustd at `endpoint`, whose certificate must be of an accepted CA (PEM) and carry the endpoint's own
 * host. It connects at the first call; the caller closes it.
 */
export function openTrustdChannel(endpoint: TrustdEndpoint, acceptedCAs: readonly string[]): Channel {
  const { host } = endpoint;
  return createChannel(
    endpointText(endpoint),
    ChannelCredentials.createSsl(Buffer.from(acceptedCAs.join('\n')), null, null, {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    }),
    {
      'grpc.ssl_target_name_override': anyServerName,
      // Else a channel inherits the pause, of up to two minutes, that others before it have come to at this endpoint.
      'grpc.use_local_subchannel_pool': 1,
    },
  );
}
