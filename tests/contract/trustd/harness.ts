// Starts one trustd, as its users start it, with everything needed to call it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CertificateResponse,
  SecurityServiceDefinition,
} from '@nodewright/contract/gen/securityapi/security.ts';
import {
  MembershipServiceDefinition,
  type MembershipServiceImplementation,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { osRootSecrets, trustdCertificates } from '@nodewright/state/kinds';
import { type DaemonProcess, type StateServer, serveState, spawnDaemon } from '@nodewright/testkit';
import {
  type Channel,
  ChannelCredentials,
  ClientError,
  createChannel,
  createClient,
  Metadata,
} from 'nice-grpc';

export const token = 'abcdef.0123456789abcdef';
const serverName = 'node01';

export function createCa(algorithm: 'ed25519' | 'ecdsa-p256' = 'ed25519'): Promise<CertificateAndKey> {
  return generateCertificateAuthority({ algorithm, organization: 'talos', notBefore: new Date() });
}

/** A certificate for trustd itself. */
export function issueServer(issuer: CertificateAndKey, commonName = serverName): Promise<CertificateAndKey> {
  return issueCertificate({
    issuer,
    subject: { commonName },
    dnsNames: [serverName],
    ipAddresses: ['127.0.0.1'],
    keyUsage: ['digitalSignature', 'keyEncipherment'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: new Date(Date.now() - 60_000),
    lifetimeHours: 24,
  });
}

/** The resources with which machined configures trustd. */
export interface Runtime {
  readonly server: CertificateAndKey | undefined;
  readonly issuingCa: CertificateAndKey | undefined;
  readonly acceptedCas: readonly string[];
  readonly token: string;
}

export interface Trustd extends AsyncDisposable {
  readonly process: DaemonProcess;
  readonly runtimeSocket: string;
  readonly healthSocket: string;
  readonly ca: CertificateAndKey;
  /** The last published resources. */
  runtime(): Runtime;
  /** Changes the published resources. */
  writeRuntime(changes?: Partial<Runtime>): Promise<void>;
  /** Removes all published resources. */
  removeRuntime(): Promise<void>;
  /** Stops the state server, as the end of machined does. */
  stopState(): Promise<void>;
  /** Starts the state server of a new machined, which has no resources yet. */
  restartState(): Promise<void>;
  /** The bound port, once trustd listens. */
  port(): Promise<number>;
  /** Waits for the `count`th log line with this message. */
  logged(message: string, count?: number): Promise<Record<string, unknown>>;
}

const pem = (pair: CertificateAndKey | undefined) => pair && { crt: pair.certificate, key: pair.key };

async function feed(state: StateServer, runtime: Runtime): Promise<void> {
  await state.put(osRootSecrets, 'os', {
    issuingCA: pem(runtime.issuingCa),
    acceptedCAs: runtime.acceptedCas.map((crt) => ({ crt })),
    certSANIPs: [],
    certSANDNSNames: [],
    token: runtime.token,
  });
  await state.put(trustdCertificates, 'trustd', { server: pem(runtime.server), acceptedCAs: [] });
}

/**
 * Starts trustd with a complete root of trust in the state; with `withoutRuntime`, before the state exists.
 */
export async function startTrustd(
  init: {
    withoutRuntime?: boolean;
    env?: Record<string, string>;
    listenAddress?: string;
    /** What machined does with reports; by default they are unsupported. */
    report?: MembershipServiceImplementation['report'];
    /** How machined judges the names that a node requests; by default it accepts them. */
    checkCertificate?: MembershipServiceImplementation['checkCertificate'];
  } = {},
): Promise<Trustd> {
  const root = mkdtempSync(join(tmpdir(), 'trustd-'));
  const runtimeSocket = join(root, 'system', 'run', 'trustd', 'runtime.sock');
  const healthSocket = join(root, 'run', 'trustd', 'health.sock');
  const ca = await createCa();
  let runtime: Runtime = {
    server: await issueServer(ca),
    issuingCa: ca,
    acceptedCas: [ca.certificate],
    token,
  };
  const implementation: MembershipServiceImplementation = {
    report:
      init.report ??
      (() => {
        throw new Fault('unavailable', 'no reports in this test');
      }),
    checkCertificate: init.checkCertificate ?? (async () => ({})),
  };
  const membership = [{ definition: MembershipServiceDefinition, implementation }];
  const serve = () => serveState(runtimeSocket, undefined, membership);
  let state = await serve();
  const writeRuntime = async (changes: Partial<Runtime> = {}) => {
    runtime = { ...runtime, ...changes };
    await feed(state, runtime);
  };
  if (init.withoutRuntime !== true) await writeRuntime();

  const process = await spawnDaemon({
    name: 'trustd',
    args: [
      ...['--runtime-socket', runtimeSocket, '--health-socket', healthSocket],
      ...['--listen-address', init.listenAddress ?? '127.0.0.1:0'],
    ],
    ...(init.env === undefined ? {} : { env: init.env }),
  });
  const logged: Trustd['logged'] = async (message, count = 1) => {
    const end = Date.now() + 120_000;
    for (;;) {
      const found = process.lines().filter(({ msg }) => msg === message)[count - 1];
      if (found !== undefined) return found;
      if (Date.now() > end)
        throw new Error(`no ${count}. "${message}":\n${process.stdout()}${process.stderr()}`);
      await sleep(10);
    }
  };
  return {
    process,
    runtimeSocket,
    healthSocket,
    ca,
    runtime: () => runtime,
    writeRuntime,
    async removeRuntime() {
      await state.remove(trustdCertificates, 'trustd');
      await state.remove(osRootSecrets, 'os');
    },
    async stopState() {
      await state[Symbol.asyncDispose]();
    },
    async restartState() {
      state = await serve();
    },
    port: async () => Number((await logged('listening')).port),
    logged,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A channel to trustd as a joining node opens it. */
export function dialTrustd(port: number, ca: string): Channel & Disposable {
  const channel = createChannel(`127.0.0.1:${port}`, ChannelCredentials.createSsl(Buffer.from(ca)), {
    // The library cannot verify an IP address over TLS.
    'grpc.ssl_target_name_override': serverName,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_send_message_length': -1,
  });
  return Object.assign(channel, { [Symbol.dispose]: () => channel.close() });
}

/** Requests a certificate. `given` is the token metadata; an empty list sends none. */
export function requestCertificate(
  channel: Channel,
  csr: string | Uint8Array,
  given: string | string[] = token,
): Promise<CertificateResponse> {
  const metadata = Metadata({ token: given });
  return createClient(SecurityServiceDefinition, channel).certificate(
    { csr: Buffer.from(csr) },
    { metadata },
  );
}

/** The status with which a call fails, as `[code, details]`. */
export async function statusOf(call: Promise<unknown>): Promise<readonly [number, string]> {
  try {
    await call;
    return [0, ''];
  } catch (error) {
    if (error instanceof ClientError) return [error.code, error.details];
    throw error;
  }
}
