import { createSecureContext } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { Fault } from '@nodewright/fault';
import { tlsPrivateKey } from '@nodewright/pki';

/** Certificates and a key as PEM text. */
export interface EtcdTls {
  /** The CA of etcd; several certificates during a rotation. */
  readonly ca: string;
  /** The certificate of a client, or of a member that is a client too. */
  readonly cert: string;
  readonly key: string;
}

/**
 * TLS options for both sides. Servers require TLS 1.3.
 *
 * @throws Fault `invalid-argument` for invalid certificates, or a key that does not match its certificate.
 */
export function etcdCredentials({ ca, cert, key }: EtcdTls): ChannelCredentials {
  try {
    const context = createSecureContext({
      minVersion: 'TLSv1.3',
      ecdhCurve: tlsKeyExchanges,
      ca,
      cert,
      key: tlsPrivateKey(key),
    });
    return ChannelCredentials.createFromSecureContext(context);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    throw new Fault('invalid-argument', `the certificates for etcd cannot be used: ${why}`, { cause: error });
  }
}
