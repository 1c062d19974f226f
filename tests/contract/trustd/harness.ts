// One trustd, started as its users start it, and what is needed to call it.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CertificateResponse,
  SecurityServiceDefinition,
} from '@nodewright/contract/gen/securityapi/security.ts';
import { TrustdRuntime } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { type DaemonProcess, spawnDaemon } from '@nodewright/testkit';
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

export interface Trustd extends AsyncDisposable {
  readonly process: DaemonProcess;
  readonly runtimeFile: string;
  readonly healthSocket: string;
  readonly ca: CertificateAndKey;
  /** The runtime file as it was written last. */
  runtime(): TrustdRuntime;
  /** Replaces the runtime file as machined does, with these fields changed. */
  writeRuntime(changes?: Partial<TrustdRuntime>): void;
  /** Replaces the runtime file by any text. */
  writeText(text: string): void;
  /** The bound port, once it listens; of the latest of `count` listeners. */
  port(count?: number): Promise<number>;
  /** Waits for the `count`th log line with this message. */
  logged(message: string, count?: number): Promise<Record<string, unknown>>;
}

/** Starts trustd with its runtime file in place; with `withoutRuntime`, before there is one. */
export async function startTrustd(
  init: { withoutRuntime?: boolean; env?: Record<string, string> } = {},
): Promise<Trustd> {
  const root = mkdtempSync(join(tmpdir(), 'trustd-'));
  const runtimeFile = join(root, 'system', 'run', 'trustd', 'runtime.json');
  const healthSocket = join(root, 'run', 'trustd', 'health.sock');
  const ca = await createCa();
  let runtime: TrustdRuntime = {
    listenAddress: '127.0.0.1:0',
    server: await issueServer(ca),
    issuingCa: ca,
    acceptedCas: [ca.certificate],
    token,
  };
  const writeText = (text: string) => {
    mkdirSync(join(runtimeFile, '..'), { recursive: true });
    writeFileSync(`${runtimeFile}.new`, text, { mode: 0o600 });
    renameSync(`${runtimeFile}.new`, runtimeFile);
  };
  const writeRuntime = (changes: Partial<TrustdRuntime> = {}) => {
    runtime = { ...runtime, ...changes };
    writeText(JSON.stringify(TrustdRuntime.toJSON(runtime)));
  };
  if (init.withoutRuntime !== true) writeRuntime();

  const process = await spawnDaemon({
    name: 'trustd',
    args: ['--runtime-file', runtimeFile, '--health-socket', healthSocket],
    ...(init.env === undefined ? {} : { env: init.env }),
  });
  const logged: Trustd['logged'] = async (message, count = 1) => {
    const end = Date.now() + 10_000;
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
    runtimeFile,
    healthSocket,
    ca,
    runtime: () => runtime,
    writeRuntime,
    writeText,
    port: async (count = 1) => Number((await logged('listening', count)).port),
    logged,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A channel to trustd as a joining node opens it. */
export function dialTrustd(port: number, ca: string): Channel & Disposable {
  const channel = createChannel(`127.0.0.1:${port}`, ChannelCredentials.createSsl(Buffer.from(ca)), {
    // The library cannot use an address as a TLS name.
    'grpc.ssl_target_name_override': serverName,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_send_message_length': -1,
  });
  return Object.assign(channel, { [Symbol.dispose]: () => channel.close() });
}

/** Asks for a certificate. `given` is the token metadata; an empty list sends none. */
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

/** The status that a call fails with, as `[code, details]`. */
export async function statusOf(call: Promise<unknown>): Promise<readonly [number, string]> {
  try {
    await call;
    return [0, ''];
  } catch (error) {
    if (error instanceof ClientError) return [error.code, error.details];
    throw error;
  }
}
