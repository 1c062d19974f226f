import {
  type CertificateAndKey,
  type CertificateInit,
  generateCertificateAuthority,
  issueCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';

/** A certificate and key as TLS takes them. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

const hourMs = 3_600_000;

/** A test's own CA, like that of a cluster's API. */
export class Authority {
  readonly #ca: CertificateAndKey;

  private constructor(ca: CertificateAndKey) {
    this.#ca = ca;
  }

  static async create(): Promise<Authority> {
    const notBefore = new Date(Date.now() - 2 * hourMs);
    return new Authority(
      await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore }),
    );
  }

  get certificate(): string {
    return this.#ca.certificate;
  }

  /**
   * The certificate and key as the resource holds them: the key has the PEM label that configurations use.
   */
  issue(changes: Partial<CertificateInit>): Promise<CertificateAndKey> {
    return issueCertificate({
      issuer: this.#ca,
      subject: {},
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['clientAuth'],
      notBefore: new Date(Date.now() - hourMs),
      lifetimeHours: 24,
      ...changes,
    });
  }

  server(name: string, ...ipAddresses: string[]): Promise<CertificateAndKey> {
    const dnsNames = [name];
    return this.issue({
      subject: { commonName: name },
      dnsNames,
      ipAddresses,
      extendedKeyUsage: ['serverAuth'],
    });
  }

  /** The certificate with which apid forwards calls. */
  impersonator(): Promise<CertificateAndKey> {
    return this.issue({ subject: { organizations: ['os:impersonator'] } });
  }

  /** A user with these roles. */
  async client(...organizations: string[]): Promise<Credentials> {
    return credentialsOf(await this.issue({ subject: { organizations } }));
  }
}

export function credentialsOf({ certificate, key }: CertificateAndKey): Credentials {
  return { cert: certificate, key: tlsPrivateKey(key) };
}
