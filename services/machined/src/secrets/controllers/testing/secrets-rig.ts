// A node for the tests of this folder: the resources of other controllers, and the running controllers of its
// PKI.
import { openTestRuntime, type TestRuntime } from '@nodewright/controllers/testing';
import { type CertificateAndKey, generateCertificateAuthority } from '@nodewright/pki';
import { type KindRef, MemoryState, pointerTo, putResource, type State } from '@nodewright/state';
import {
  endpoints,
  hostnameStatuses,
  type MachineTypeName,
  machineConfigs,
  machineTypes,
  maintenanceServiceRequests,
  networkStatuses,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import type { TimeWait } from '../../domain/time-wait.ts';
import type { AskForCertificate } from '../api.ts';
import { secretsControllers } from '../secrets-controllers.ts';

export const listenAddress = '127.5.6.2:50000';
const token = 'abcdef.0123456789abcdef';
const base64 = (text: string) => Buffer.from(text).toString('base64');

export function newAuthority(): Promise<CertificateAndKey> {
  return generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(Date.now() - 3_600_000),
  });
}

export interface ConfigInit {
  readonly type?: Exclude<MachineTypeName, 'unknown'>;
  readonly ca: CertificateAndKey;
  /** PEM. */
  readonly acceptedCAs?: readonly string[];
  readonly certSANs?: readonly string[];
}

/** A machine configuration with these settings. */
export function configText({
  type = 'controlplane',
  ca,
  acceptedCAs = [],
  certSANs = [],
}: ConfigInit): string {
  const key = type === 'worker' ? '' : `, key: ${base64(ca.key)}`;
  return [
    'version: v1alpha1',
    'machine:',
    `    type: ${type}`,
    `    token: ${token}`,
    `    ca: { crt: ${base64(ca.certificate)}${key} }`,
    `    acceptedCAs: [${acceptedCAs.map((pem) => `{ crt: ${base64(pem)} }`).join(', ')}]`,
    `    certSANs: ${JSON.stringify(certSANs)}`,
    'cluster:',
    '    clusterName: c',
    '    controlPlane: { endpoint: "https://127.5.6.2:6443" }',
    '',
  ].join('\n');
}

export interface SecretsRig extends AsyncDisposable {
  readonly state: State;
  readonly runtime: TestRuntime;
  put<S>(kind: KindRef<S>, id: string, spec: NoInfer<S>): Promise<void>;
  /** The spec of a resource; undefined when it does not exist. */
  spec<S>(kind: KindRef<S>, id: string): Promise<S | undefined>;
  /** The version of a resource; 0 when it does not exist. */
  version(kind: KindRef, id: string): Promise<number>;
  /** Activates a configuration, as the controllers of configuration do, and waits for its effects. */
  configure(config: ConfigInit): Promise<void>;
}

export interface SecretsRigInit {
  readonly state?: State;
  readonly ask?: AskForCertificate;
  readonly isMaintenance?: boolean;
  readonly timeWait?: TimeWait;
  /** Default 127.5.6.2. */
  readonly address?: string;
}

/** Starts the controllers on a node whose network is ready. */
export async function openSecretsRig(init: SecretsRigInit = {}): Promise<SecretsRig> {
  const { address = '127.5.6.2' } = init;
  const state = init.state ?? new MemoryState({ now: Date.now, cookie: Buffer.alloc(8) });
  const put: SecretsRig['put'] = async (kind, id, spec) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
  };
  const ready = { connectivityReady: true, hostnameReady: true, etcFilesReady: true };
  await put(networkStatuses, 'status', { addressReady: true, ...ready });
  await put(endpoints, 'controlplane', { addresses: ['127.5.6.2'], hosts: [] });
  await put(hostnameStatuses, 'hostname', { hostname: 'node01', domainname: '' });
  for (const id of ['current', 'accumulative', 'accumulative-no-k8s']) {
    await put(nodeAddresses, id, { addresses: [`${address}/32`], sortAlgorithm: 'v1' });
  }
  if (init.isMaintenance) await put(maintenanceServiceRequests, 'maintenance', {});
  const runtime = openTestRuntime({
    state,
    nowMs: Date.now(),
    controllers: secretsControllers({
      apidListenAddress: `${address}:50000`,
      random: () => 0,
      telemetry: noTelemetry,
      ...(init.ask && { ask: init.ask }),
      ...(init.timeWait && { timeWait: init.timeWait }),
    }),
  });
  await runtime.settled();
  const find = async <S>(kind: KindRef<S>, id: string) =>
    (await state.list(kind)).find(({ metadata }) => metadata.id === id);
  return {
    state,
    runtime,
    put,
    spec: async (kind, id) => (await find(kind, id))?.spec,
    version: async (kind, id) => (await find(kind, id))?.metadata.version ?? 0,
    async configure(config) {
      await put(machineConfigs, 'v1alpha1', configText(config));
      await put(machineTypes, 'machine-type', config.type ?? 'controlplane');
      await runtime.settled();
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
