import { parseEndpoint } from '@nodewright/client';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import { metadataKeys } from '@nodewright/contract';
import { type CertificateAndKey, issueCertificate } from '@nodewright/pki';
import { Skip } from '../check.ts';
import { Api } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { WireConnection, type WireIdentity } from '../wire/wire-connection.ts';
import { forwardsCalls } from './forwards-calls.ts';
import { readFile } from './read-file.ts';
import type { Subject } from './subject.ts';

export interface SubjectInit {
  readonly context: TalosconfigContext;
  /** Default: the context's first endpoint. */
  readonly endpoint?: string | undefined;
  /** Default: the context's first node, else the endpoint's host. */
  readonly node?: string | undefined;
  readonly otherNode?: string | undefined;
  readonly worker?: string | undefined;
  /**
   * The CA of client certificates, when its key is available; else certificates are requested from the node.
   */
  readonly ca?: CertificateAndKey | undefined;
}

const certificateLifetimeHours = 1;
/** How far the clock of a machine may be behind that of this host. */
export const clockDifferenceMs = 60_000;

/** Opens the node under test. Connections are made as checks need them. */
export async function openSubject(init: SubjectInit): Promise<Subject & Disposable> {
  const [first] = init.context.endpoints;
  const written = init.endpoint ?? first;
  if (written === undefined) throw new Error('there is no endpoint: name one, or one in the talosconfig');
  const { address, host } = parseEndpoint(written);
  const identity = identityOf(init.context);
  const node = init.node ?? init.context.nodes[0] ?? host;
  const toNode = { [metadataKeys.node]: node };

  const connections = new Map<string, Promise<WireConnection>>();
  const connectionOf = async (key: string, make: () => Promise<WireIdentity>) => {
    const known = await connections.get(key)?.catch(() => undefined);
    if (known?.isOpen) return known;
    const opened = make().then((made) => WireConnection.open(address, made));
    connections.set(key, opened);
    return opened;
  };
  const adminConnection = () => connectionOf('', async () => identity);
  const issue: Subject['issue'] = async (roles, usages) => {
    const { ca } = init;
    if (ca === undefined) throw new Skip('the key of the CA is not at hand');
    const issued = await issueCertificate({
      issuer: ca,
      subject: { organizations: [...roles] },
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: [...usages],
      notBefore: new Date(Date.now() - clockDifferenceMs),
      lifetimeHours: certificateLifetimeHours,
    });
    return { ca: identity.ca, certificate: issued.certificate, key: issued.key };
  };
  const identityFor = async (roles: readonly string[]): Promise<WireIdentity> => {
    if (init.ca !== undefined) return issue(roles, ['clientAuth']);
    if (roles.length === 0) throw new Skip('a node is asked for certificates, and none has no role');
    return askForIdentity(new Api(await adminConnection(), toNode), roles);
  };

  const admin = new Api(await adminConnection(), toNode);
  let forwarding: Promise<boolean> | undefined;
  return {
    endpoint: address,
    node,
    otherNode: init.otherNode,
    worker: init.worker,
    admin,
    identity,
    issue,
    async as(...roles: string[]) {
      return new Api(await connectionOf(roles.join(' ') || 'nobody', () => identityFor(roles)), toNode);
    },
    async connect(as: WireIdentity = identity) {
      const connection = await WireConnection.open(address, as);
      const api = new Api(connection, toNode);
      return Object.assign(api, { [Symbol.dispose]: () => connection[Symbol.dispose]() });
    },
    async requireForwarding() {
      forwarding ??= forwardsCalls(admin);
      if (!(await forwarding)) throw new Skip('the endpoint is a worker, which passes no call on');
    },
    readFile: (path: string) => readFile(admin, path),
    [Symbol.dispose]() {
      for (const opened of connections.values()) {
        void opened.then(
          (connection) => connection[Symbol.dispose](),
          () => {},
        );
      }
    },
  };
}

function identityOf({ ca, crt, key }: TalosconfigContext): WireIdentity {
  if (ca === undefined || crt === undefined || key === undefined)
    throw new Error('the context has no ca, crt and key: the suite needs a client certificate');
  const pem = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  return { ca: pem(ca), certificate: pem(crt), key: pem(key.reveal()) };
}

async function askForIdentity(admin: Api, roles: readonly string[]): Promise<WireIdentity> {
  try {
    const { messages } = await admin.unary(machine.generateClientConfiguration, {
      roles: [...roles],
      crtTtl: { seconds: BigInt(certificateLifetimeHours * 3600), nanos: 0 },
    });
    const [made] = messages;
    if (made === undefined) throw new Error('GenerateClientConfiguration answered without a message');
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
    return { ca: text(made.ca), certificate: text(made.crt), key: text(made.key) };
  } catch (error) {
    if (error instanceof CallFailure && error.code === codes.unimplemented)
      throw new Skip(
        'no certificate for other roles: GenerateClientConfiguration is not implemented, and no CA is given',
      );
    throw error;
  }
}
