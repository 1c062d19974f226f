import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import type { EtcdTls } from '../connection/etcd-credentials.ts';

/** The certificates of a test cluster, like those of nodes. */
export interface TestPki {
  readonly ca: CertificateAndKey;
  /** A client with all permissions. */
  readonly admin: EtcdTls;
  server(address: string): Promise<CertificateAndKey>;
  peer(address: string): Promise<CertificateAndKey>;
}

const lifetimeHours = 24;

export async function createTestPki(): Promise<TestPki> {
  const notBefore = new Date(Date.now() - 60_000);
  const ca = await generateCertificateAuthority({ algorithm: 'ecdsa-p256', organization: 'etcd', notBefore });
  const issue = (commonName: string, addresses: string[], dnsNames: string[]) =>
    issueCertificate({
      issuer: ca,
      subject: { commonName },
      dnsNames,
      ipAddresses: addresses,
      keyUsage: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsage: addresses.length === 0 ? ['clientAuth'] : ['serverAuth', 'clientAuth'],
      notBefore,
      lifetimeHours,
    });
  const admin = await issue('talos', [], []);
  return {
    ca,
    admin: { ca: ca.certificate, cert: admin.certificate, key: admin.key },
    server: (address) => issue('node', [address], ['localhost']),
    // Members on loopback connect to each other from this address and present this certificate.
    peer: (address) => issue('node', [address, '127.0.0.1'], []),
  };
}
