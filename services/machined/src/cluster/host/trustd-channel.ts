import { checkServerIdentity, createSecureContext, type SecureContextOptions } from 'node:tls';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { type Channel, ChannelCredentials, createChannel } from 'nice-grpc';
import type { TrustdEndpoint } from '../domain/trustd-endpoints.ts';

/**
 * The gRPC library does not accept IP addresses as TLS names. So it gets this name, and the check of the
 * server's identity is made here.
 */
const anyServerName = 'trustd';

/** Formats an endpoint for messages. */
export const endpointText = ({ host, port }: TrustdEndpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * Opens a channel to the trustd at `endpoint`. Its certificate must be issued by an accepted CA (PEM) and be
 * valid for the host of the endpoint. The channel connects at the first call; the caller closes it.
 */
export function openTrustdChannel(endpoint: TrustdEndpoint, acceptedCAs: readonly string[]): Channel {
  const { host } = endpoint;
  const secure: SecureContextOptions = {
    minVersion: 'TLSv1.3',
    ecdhCurve: tlsKeyExchanges,
    ca: [...acceptedCAs],
  };
  return createChannel(
    endpointText(endpoint),
    ChannelCredentials.createFromSecureContext(createSecureContext(secure), {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    }),
    {
      'grpc.ssl_target_name_override': anyServerName,
      // Without this option a channel inherits the back-off, up to two minutes, of earlier channels to the
      // same endpoint.
      'grpc.use_local_subchannel_pool': 1,
    },
  );
}
