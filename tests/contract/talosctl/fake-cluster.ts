// Certificates, talosconfig and gateways of a simulated cluster.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printTalosconfig, type TalosconfigContext } from '@nodewright/client/talosconfig';
import { Secret } from '@nodewright/fault';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { FakeGateway, type FakeHandler } from './fake-gateway.ts';

const hour = 3_600_000;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export interface ClientCertificateInit {
  readonly issuer?: CertificateAndKey;
  readonly roles?: readonly string[];
  readonly extendedKeyUsage?: readonly ('clientAuth' | 'serverAuth')[];
  readonly notBefore?: Date;
  readonly lifetimeHours?: number;
}

/** The CA of one cluster, and a folder for its client's files. */
export class FakeCluster implements AsyncDisposable {
  readonly ca: CertificateAndKey;
  /** Mode 0700, removed at the end. */
  readonly folder: string;
  readonly #scope = new AsyncDisposableStack();

  private constructor(ca: CertificateAndKey, folder: string) {
    this.ca = ca;
    this.folder = folder;
    this.#scope.defer(() => rm(folder, { recursive: true, force: true }));
  }

  static async create(): Promise<FakeCluster> {
    const ca = await generateCertificateAuthority({
      algorithm: 'ed25519',
      organization: 'talos',
      notBefore: new Date(Date.now() - hour),
    });
    return new FakeCluster(ca, await mkdtemp(join(tmpdir(), 'talosctl-test-')));
  }

  clientCertificate(init: ClientCertificateInit = {}): Promise<CertificateAndKey> {
    return issueCertificate({
      issuer: init.issuer ?? this.ca,
      subject: { organizations: init.roles ?? ['os:admin'] },
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: init.extendedKeyUsage ?? ['clientAuth'],
      notBefore: init.notBefore ?? new Date(Date.now() - hour),
      lifetimeHours: init.lifetimeHours ?? 24,
    });
  }

  serverCertificate(ipAddresses: readonly string[] = ['127.0.0.1']): Promise<CertificateAndKey> {
    return issueCertificate({
      issuer: this.ca,
      subject: {},
      ipAddresses,
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['serverAuth'],
      notBefore: new Date(Date.now() - hour),
      lifetimeHours: 24,
    });
  }

  /** A gateway with a certificate of this cluster's CA. */
  async gateway(handlers: Readonly<Record<string, FakeHandler>>): Promise<FakeGateway> {
    const identity = await this.serverCertificate();
    return this.#scope.use(await FakeGateway.listen({ identity, clientCa: this.ca.certificate, handlers }));
  }

  /** Writes a talosconfig with one context, `test`, and returns its path. */
  async talosconfig(
    context: Partial<TalosconfigContext> & { readonly client?: CertificateAndKey | 'none' },
    name = 'config',
  ): Promise<string> {
    const { client, ...rest } = context;
    const pair = client === 'none' ? undefined : (client ?? (await this.clientCertificate()));
    const whole: TalosconfigContext = {
      endpoints: [],
      nodes: [],
      ca: base64(this.ca.certificate),
      ...(pair === undefined ? {} : { crt: base64(pair.certificate), key: new Secret(base64(pair.key)) }),
      ...rest,
    };
    const path = join(this.folder, name);
    await writeFile(path, printTalosconfig({ context: 'test', contexts: new Map([['test', whole]]) }), {
      mode: 0o600,
    });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scope.disposeAsync();
  }
}
