import { createSecureContext } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import { Fault } from '@nodewright/fault';
import { tlsPrivateKey } from '@nodewright/pki';

/** Texts in PEM. */
export interface EtcdTls {
  /** The CA of etcd; more than one while it is rotated. */
  readonly ca: string;
  /** Of a client, or of a member that is one as well. */
  readonly cert: string;
  readonly key: string;
}

/**
 * What both sides show each other. Servers are set to TLS 1.3.
 *
 * @throws Fault `invalid-argument` for texts that are no certificates, or a key of another certificate.
 */
export function etcdCredentials({ ca, cert, key }: EtcdTls): ChannelCredentials {
  try {
    const context = createSecureContext({ ca, cert, key: tlsPrivateKey(key), minVersion: 'TLSv1.3' });
    return ChannelCredentials.createFromSecureContext(context);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    throw new Fault('invalid-argument', `the certificates for etcd cannot be used: ${why}`, { cause: error });
  }
}
