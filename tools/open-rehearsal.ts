import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CertificateAndKey,
  type CertificateInit,
  generateCertificateAuthority,
  issueCertificate,
} from '@nodewright/pki';
import {
  apiCertificates,
  apiServiceConfigs,
  hostnameStatuses,
  members,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { type StateServer, serveState } from '@nodewright/testkit';

/** A start of a program whose functions are compiled. */
export interface Rehearsal {
  readonly words: readonly string[];
  /** The message of the log line after which a daemon is stopped. Without one the program ends by itself. */
  readonly servesWith?: string;
}

const node = 'node01';
const address = '127.0.0.1';
const anyPort = `${address}:0`;

/**
 * What a daemon needs to start as on a node, for as long as the result is not disposed of: a state with the resources that
 * machined publishes, and folders for its sockets. Other programs print their version: trustd, with the gRPC library, does not
 * run exactly the same functions in each start, and then its code would not be the same in each build.
 */
export async function openRehearsal(program: string): Promise<Rehearsal & AsyncDisposable> {
  const publish = publishers[program];
  await using scope = new AsyncDisposableStack();
  if (publish === undefined) return { words: ['--version'], [Symbol.asyncDispose]: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const state = scope.use(await serveState(join(folder, 'runtime.sock')));
  const flags = await publish(state, folder);
  const words = [
    ...['--runtime-socket', state.path, '--health-socket', join(folder, 'run', 'health.sock')],
    ...flags,
  ];
  const kept = scope.move();
  return { words, servesWith: 'daemon serves', [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Publish the resources that a daemon reads, and return the flags that it alone has. */
const publishers: Readonly<
  Record<string, (state: StateServer, folder: string) => Promise<readonly string[]>>
> = {
  async apid(state, folder) {
    const { issue, certificate } = await createAuthority();
    const server = await issue(ofServer);
    const client = await issue({
      subject: { organizations: ['os:impersonator'] },
      extendedKeyUsage: ['clientAuth'],
    });
    for (const hostname of [node, 'node02'])
      await state.put(members, hostname, {
        ...{ hostname, addresses: [address], nodeId: '', machineType: 'worker' },
        ...{ operatingSystem: '', controlPlane: undefined },
      });
    await state.put(hostnameStatuses, 'hostname', { hostname: node, domainname: '' });
    await state.put(nodeAddresses, 'current', { addresses: [`${address}/32`], sortAlgorithm: 'v1' });
    await state.put(apiCertificates, 'api', {
      ...{ server: pem(server), client: pem(client), acceptedCAs: [{ crt: certificate }] },
      skipVerifyingClientCert: false,
    });
    await state.put(apiServiceConfigs, 'apid', {
      ...{ listenAddress: anyPort, nodeRoutingDisabled: false },
      ...{ readonlyRoleMode: false, skipVerifyingClientCert: false },
    });
    return ['--machined-socket', join(folder, 'machined.sock')];
  },
};

const ofServer = {
  ...{ subject: { commonName: node }, dnsNames: [node], ipAddresses: [address] },
  extendedKeyUsage: ['serverAuth'],
} satisfies Partial<CertificateInit>;

const pem = ({ certificate, key }: CertificateAndKey) => ({ crt: certificate, key });

async function createAuthority() {
  const notBefore = new Date(Date.now() - 3_600_000);
  const authority = await generateCertificateAuthority({
    ...{ algorithm: 'ed25519', organization: 'talos', notBefore },
  });
  const issue = (changes: Partial<CertificateInit>) =>
    issueCertificate({
      ...{ issuer: authority, subject: {}, keyUsage: ['digitalSignature'], extendedKeyUsage: [] },
      ...{ notBefore, lifetimeHours: 24 },
      ...changes,
    });
  return { issue, certificate: authority.certificate };
}
