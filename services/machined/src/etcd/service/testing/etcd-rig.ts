// A control plane for tests of the etcd service: fake controllers, a fake cluster of other nodes, and fake
// programs.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aborted, systemTimers, type Timers } from '@nodewright/async';
import { type EtcdClient, EtcdFault, type EtcdMember } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { ServiceManager } from '@nodewright/services';
import { pointerTo, putResource } from '@nodewright/state';
import { etcdSpecs, machineTypes, networkStatuses, pkiStatuses, timeStatuses } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { openNodeState } from '../../../base/resources/open-node-state.ts';
import { isNodeService } from '../../../services/domain/service-control.ts';
import type { EtcdRuntime } from '../../domain/etcd-runtime.ts';
import { openEtcdConditions } from '../etcd-conditions.ts';
import { EtcdService } from '../etcd-service.ts';

const own = 'https://10.0.0.5:2380';

/** The fake etcd of the other control planes. */
export class OtherEtcd {
  members: EtcdMember[] = [];
  /** How many promotion requests fail before the learner is ready. */
  notReady = 0;

  /** Adds a member. */
  add(member: Partial<EtcdMember>): void {
    const id = BigInt(this.members.length + 1);
    const defaults = { id, name: `other${id}`, peerUrls: [`https://10.0.1.${id}:2380`], isLearner: false };
    this.members.push({ ...defaults, clientUrls: [`https://10.0.1.${id}:2379`], ...member });
  }

  client(): EtcdClient {
    const answering = <T>(answer: () => T) => {
      if (this.members.length === 0) throw new EtcdFault('unavailable', 'nobody', { reason: 'unreachable' });
      return answer();
    };
    return {
      members: async () => answering(() => this.members),
      get: async () => answering(() => undefined),
      status: async () =>
        answering(() => ({
          memberId: this.members.find(({ peerUrls }) => peerUrls.includes(own))?.id ?? 0n,
        })),
      addLearner: async (peerUrls: readonly string[]) =>
        answering(() => this.add({ name: '', peerUrls, clientUrls: [], isLearner: true })),
      removeMember: async (id: bigint) =>
        answering(() => {
          this.members = this.members.filter((member) => member.id !== id);
        }),
      promote: async (id: bigint) =>
        answering(() => {
          if (this.notReady-- > 0) {
            throw new EtcdFault('failed-precondition', 'not in sync', { reason: 'learner-not-ready' });
          }
          this.members = this.members.map((each) => (each.id === id ? { ...each, isLearner: false } : each));
        }),
      [Symbol.asyncDispose]: async () => {},
    } as unknown as EtcdClient;
  }
}

export interface EtcdRig extends AsyncDisposable {
  readonly service: EtcdService;
  readonly others: OtherEtcd;
  /** The arguments of each start of etcd. */
  readonly runs: (readonly string[])[];
  readonly restores: string[];
  /** The path of the data folder. */
  readonly data: string;
  /** The path of the file with the version of the data. */
  readonly versionFile: string;
  /** Makes the running etcd exit with an error. */
  crash(): void;
  /** The states and messages of the service history. */
  history(): string[];
  state(): string | undefined;
}

export interface EtcdRigInit {
  readonly timers?: Timers;
  /** Makes the image pull last until it is aborted. */
  readonly hasSlowImage?: true;
  /** The error of each restore. */
  readonly restoreFault?: Fault;
  readonly extraArgs?: Readonly<Record<string, { readonly values: readonly string[] }>>;
}

export async function openEtcdRig({ timers = systemTimers, ...init }: EtcdRigInit = {}): Promise<EtcdRig> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'etcd-service-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const [data, versionFile] = [join(folder, 'data'), join(folder, 'data.version')];
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const state = await openNodeState(() => Date.now(), noTelemetry);
  const others = new OtherEtcd();
  const runs: (readonly string[])[] = [];
  const restores: string[] = [];
  let end = (_error: Error) => {};
  const runtime: EtcdRuntime = {
    usesImage: false,
    paths: { data: '/data', secrets: '/secrets' },
    async version(signal) {
      if (init.hasSlowImage) await aborted(signal);
      return { major: 3, minor: 6 };
    },
    createRunner: (args) => ({
      text: 'Etcd',
      async run(report, signal) {
        await mkdir(join(data, 'member/wal'), { recursive: true });
        // Tests wait for the run and then expect its data.
        runs.push(args);
        // An added member has a name once it has started.
        others.members = others.members.map((member) =>
          member.peerUrls.includes(own) ? { ...member, name: 'node01' } : member,
        );
        report('run', 'started');
        const ended = Promise.withResolvers<void>();
        end = ended.reject;
        signal.addEventListener('abort', () => ended.resolve(), { once: true });
        if (signal.aborted) ended.resolve();
        await ended.promise;
      },
    }),
    async restore({ initialCluster, skipHashCheck }) {
      restores.push(`${initialCluster}${skipHashCheck ? ' unchecked' : ''}`);
      if (init.restoreFault !== undefined) throw init.restoreFault;
      await mkdir(join(data, 'member/wal'), { recursive: true });
    },
  };
  const client = async () => others.client();
  const services = new ServiceManager({
    log,
    telemetry: noTelemetry,
    timers: systemTimers,
    mayComeLater: isNodeService,
  });
  const service = new EtcdService({
    ...{ services, state, runtime, log, timers, random: () => 0, hasUpgradeTag: async () => false },
    access: {
      openLocal: client,
      openCluster: client,
      openAt: client,
      own: async () => ['10.0.0.5:2379'],
      others: async () => ['10.0.1.1:2379'],
    },
    conditions: await openEtcdConditions(state, scope),
    data: { path: data, mode: 0o700 },
    versionFile,
    snapshot: join(folder, 'snapshot'),
    dependsOn: [],
    restartIntervalMs: 100,
  });
  scope.use(service);
  scope.use(services);
  const put = <S>(pointer: ReturnType<typeof pointerTo<S>>, spec: S) =>
    putResource(state, { ...pointer, spec });
  await put(pointerTo(machineTypes), 'controlplane');
  await put(pointerTo(timeStatuses), { synced: true, epoch: 0, syncDisabled: false });
  await put(pointerTo(networkStatuses), {
    ...{ addressReady: true, connectivityReady: false, hostnameReady: true, etcFilesReady: true },
  });
  await put(pointerTo(etcdSpecs), {
    ...{ name: 'node01', image: '', advertisedAddresses: ['10.0.0.5'], extraArgs: init.extraArgs ?? {} },
    ...{ listenPeerAddresses: ['10.0.0.5'], listenClientAddresses: ['10.0.0.5'] },
  });
  await put(pointerTo(pkiStatuses), { ready: true, version: '1' });
  const record = () => services.records().find(({ id }) => id === 'etcd');
  const kept = scope.move();
  return {
    ...{ service, others, runs, restores, data, versionFile },
    crash: () => end(new Fault('unknown', 'signal: killed')),
    history: () => record()?.history.map(({ state: entered, message }) => `${entered}: ${message}`) ?? [],
    state: () => record()?.state,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The initial cluster flags among the arguments. */
export function initialFlags(args: readonly string[] | undefined): string[] {
  return (args ?? []).filter((flag) => /^--initial-cluster/.test(flag));
}

export async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}
