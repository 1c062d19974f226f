import { AsyncLocalStorage } from 'node:async_hooks';
import { rm } from 'node:fs/promises';
import { pauseBy, pause as sleep } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import type { PostponedRestart, RestartRequest } from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type DeclaredService,
  declaredService,
  type Runner,
  restartRunner,
  type ServiceDefinition,
  type ServiceManager,
  type ServiceRecord,
} from '@nodewright/services';
import { etcdSettings } from '../domain/etcd-settings.ts';
import type { BootstrapWish } from '../domain/start-mode.ts';
import { emptyEtcdData } from '../host/data-folder.ts';
import { readStoredMemberId } from '../host/stored-member.ts';
import type { EtcdConditions } from './etcd-conditions.ts';
import { EtcdHealth, etcdHealthTimes } from './etcd-health.ts';
import { type EtcdLaunch, type EtcdLaunchInit, hasNoMemberData, prepareEtcd } from './etcd-launch.ts';
import { promoteEtcd } from './etcd-membership.ts';
import { restartEtcd } from './restart-etcd.ts';

export interface EtcdServiceInit extends EtcdLaunchInit {
  readonly services: ServiceManager;
  readonly conditions: EtcdConditions;
  /** Services of this node that etcd needs. */
  readonly dependsOn: readonly string[];
  /** The pause before etcd restarts after it has exited. */
  readonly restartIntervalMs: number;
}

const id = serviceIds.etcd;
/**
 * The pause after a failed start. Its cause may have passed: a wrong configuration, or an unreachable
 * cluster.
 */
const startAgainMs = 30_000;

/**
 * The etcd service of a control plane. It starts with existing data, creates a cluster when Bootstrap is
 * called, and otherwise joins the cluster of the other control planes. Source: Talos v1.14: etcd service.
 */
export class EtcdService implements AsyncDisposable {
  readonly #init: EtcdServiceInit;
  readonly #health: EtcdHealth;
  readonly #declared: DeclaredService;
  readonly #closed = new AbortController();
  readonly #listener: Disposable;
  /** Runs background work outside the async context of the call that started the service. */
  readonly #outside = AsyncLocalStorage.snapshot();
  /** Whether etcd should run: false before its first start and after it was stopped. */
  #isWanted = false;
  #wish: BootstrapWish | undefined;
  #launch: EtcdLaunch | undefined;
  #failure: Fault | undefined;

  constructor(init: EtcdServiceInit) {
    this.#init = init;
    this.#health = new EtcdHealth(init.access);
    this.#declared = declaredService({ services: init.services, id, define: () => this.#definition() });
    this.#listener = init.services.onChange((record) => this.#startAgain(record));
  }

  /** Whether etcd was started once: the node is a control plane with the CA of etcd. */
  get isDeclared(): boolean {
    return this.#declared.isDeclared;
  }

  /** Whether etcd runs from the image of its configuration. */
  get usesImage(): boolean {
    return this.#init.runtime.usesImage;
  }

  /** Why etcd could not be prepared; `undefined` once it is prepared again or was stopped. */
  get failure(): Fault | undefined {
    return this.#failure;
  }

  /** The settings of the running etcd (`etcdSettings()`); `undefined` while it is off or being prepared. */
  launchedWith(): string | undefined {
    const isOn = this.#init.services.lifeOf(id) === 'on';
    return isOn && this.#launch !== undefined ? etcdSettings(this.#launch.spec, this.usesImage) : undefined;
  }

  /**
   * Restarts etcd with the current settings, as `restartEtcd()` does, when the cluster does not need its
   * vote.
   */
  restart(request: RestartRequest): Promise<PostponedRestart | undefined> {
    const { access, log, timers, services, data } = this.#init;
    const restart = async () => {
      await services.stop([id], 'Restarting with other settings');
      // A leave or a reset may have stopped etcd meanwhile.
      if (this.#isWanted) services.start([id]);
    };
    return this.#outside(() =>
      restartEtcd({ access, log, timers, restart, storedId: () => readStoredMemberId(data.path) }, request),
    );
  }

  /** Starts etcd in the background; does nothing when it is already on. */
  start(): void {
    this.#isWanted = true;
    this.#declared.start();
  }

  /**
   * Makes this node the first member of a new cluster. Resolves when etcd is starting.
   *
   * @throws Fault `already-exists` when it has data already
   */
  async bootstrap(wish: BootstrapWish): Promise<void> {
    const { services } = this.#init;
    await this.assertNoData();
    // Another call may have started a bootstrap while the folder was read.
    if (this.#wish !== undefined) throw notEmpty();
    this.#wish = wish;
    this.#isWanted = true;
    await services.stop([id], 'Bootstrap requested');
    services.start([id]);
  }

  /** The member that the data belong to: its id, `none` without data, `unknown` when the data do not say it. */
  async storedId(): Promise<bigint | 'none' | 'unknown'> {
    const id = await readStoredMemberId(this.#init.data.path);
    return id ?? ((await hasNoMemberData(this.#init)) ? 'none' : 'unknown');
  }

  /** @throws Fault `already-exists` when etcd has data, or a bootstrap is in progress */
  async assertNoData(): Promise<void> {
    if ((await hasNoMemberData(this.#init)) && this.#wish === undefined) return;
    throw notEmpty();
  }

  /** Stops etcd until the next `start()` or the next start of the node. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    await this.#init.services.stop([id]);
    this.#failure = undefined;
  }

  /** Stops etcd and removes its data. */
  async wipe(): Promise<void> {
    await this.stop();
    await emptyEtcdData(this.#init.data.path);
    await rm(this.#init.versionFile, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    this.#listener[Symbol.dispose]();
    await this.#health[Symbol.asyncDispose]();
  }

  #definition(): ServiceDefinition {
    const { conditions, dependsOn, restartIntervalMs } = this.#init;
    return {
      id,
      dependsOn,
      outlivedBy: [serviceIds.machined],
      conditions: conditions.start,
      prepare: (signal, report) => this.#prepare(signal, report),
      runner: restartRunner(this.#runner(), {
        policy: 'forever',
        intervalMs: restartIntervalMs,
        now: () => performance.now(),
        sleep,
      }),
      health: {
        check: (timeoutMs) => this.#outside(() => this.#health.check(timeoutMs)),
        ...etcdHealthTimes,
      },
    };
  }

  async #prepare(signal: AbortSignal, report: (message: string) => void): Promise<void> {
    const wish = this.#wish;
    this.#launch = undefined;
    this.#failure = undefined;
    try {
      await this.#init.conditions.pki.wait(signal);
      if (!signal.aborted) this.#launch = await prepareEtcd({ ...this.#init, report }, wish, signal);
    } catch (error) {
      // A stop during the preparation is not a failure.
      if (signal.aborted) return;
      this.#failure = faultFrom(error);
      throw this.#failure;
    } finally {
      // One request, one try: after a failure the caller has to call Bootstrap again.
      if (this.#wish === wish && wish !== undefined) this.#wish = undefined;
    }
  }

  #runner(): Runner {
    const { runtime } = this.#init;
    let current: Runner | undefined;
    return {
      get text() {
        return current?.text ?? 'Etcd';
      },
      run: async (report, signal) => {
        const launch = this.#launch;
        if (launch === undefined) throw new Fault('internal', 'etcd was started before it was prepared');
        const ended = new AbortController();
        current = runtime.createRunner(launch.args);
        try {
          await current.run((event, message) => {
            report(event, message);
            if (event === 'run') this.#promote(AbortSignal.any([signal, ended.signal]));
          }, signal);
        } finally {
          ended.abort();
        }
      },
    };
  }

  /** Retries until this member has a vote or its process exits. Failures are logged. */
  async #promote(signal: AbortSignal): Promise<void> {
    const { log, timers } = this.#init;
    while (!signal.aborted) {
      try {
        return await promoteEtcd(this.#init, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error: faultFrom(error).message }, 'cannot promote etcd of this node');
        await pauseBy(timers, startAgainMs, signal);
      }
    }
  }

  #startAgain({ id: changed, state }: ServiceRecord): void {
    if (changed !== id || state !== 'Failed') return;
    const { services, timers } = this.#init;
    void this.#outside(async () => {
      await pauseBy(timers, startAgainMs, this.#closed.signal);
      if (this.#isWanted && !this.#closed.signal.aborted) services.start([id]);
    });
  }
}

const notEmpty = () => new Fault('already-exists', 'etcd data directory is not empty');
