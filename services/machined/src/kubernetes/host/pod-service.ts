import { pause } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import type { FollowingService, PostponedRestart, RestartRequest } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import type { ComponentName } from '@nodewright/node-files';
import {
  createProcessRunner,
  createTcpProbe,
  type DeclaredService,
  declaredService,
  type ExitGuard,
  type HealthResult,
  type Runner,
  restartRunner,
  type ServiceDefinition,
  type ServiceManager,
} from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import { pointerTo, type State } from '@nodewright/state';
import { staticPods } from '@nodewright/state/kinds';
import { childEnvironment } from '../../base/domain/child-environment.ts';
import { recordServicePid } from '../../base/resources/record-service-pid.ts';
import { podSettings } from '../domain/pod-settings.ts';
import { type PodProcess, type ProcessPlace, podProcess } from '../domain/process-pod.ts';
import type { PodProblems } from './pod-problems.ts';
import { probeHttps } from './probe-https.ts';
import type { ReplaceInTurnInit } from './replace-in-turn.ts';

export interface PodServiceInit {
  readonly component: ComponentName;
  readonly place: ProcessPlace;
  readonly state: State;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** How a ready component is replaced; by default at once. */
  readonly replaceInTurn?: ReplaceInTurn;
  readonly problems: PodProblems;
  /** The environment of machined. */
  readonly environment: NodeJS.ProcessEnv;
  /** The pause before a component restarts after it has exited; it grows while the component keeps failing. */
  readonly restartIntervalMs: number;
}

/** Waits for the turn of this node before it calls `replace`. Its checks concern this component. */
export type ReplaceInTurn = (
  component: Pick<ReplaceInTurnInit, 'checkOwn' | 'obstacle' | 'isReplacerAway' | 'replace' | 'report'>,
  request: RestartRequest,
) => Promise<PostponedRestart | undefined>;

/** The API server ends its open requests first. */
const graceTimeoutMs = 10_000;
/** A server that is busy with its start answers late. */
const health = { initialDelayMs: 2_000, periodMs: 2_000, timeoutMs: 5_000 } as const;

interface Launch {
  readonly settings: string;
  readonly process: PodProcess;
}

/** A component of the control plane as a service of the node, whose program is a child process of machined. */
export class PodService implements Required<FollowingService> {
  readonly #init: PodServiceInit;
  readonly #declared: DeclaredService;
  #launch: Launch | undefined;

  constructor(init: PodServiceInit) {
    this.#init = init;
    const { services, component } = init;
    this.#declared = declaredService({ services, id: component, define: () => this.#definition() });
  }

  start(): void {
    this.#declared.start();
  }

  stop(): Promise<void> {
    return this.#declared.stop();
  }

  launchedWith(): string | undefined {
    const { services, component } = this.#init;
    return services.lifeOf(component) === 'on' ? this.#launch?.settings : undefined;
  }

  hasFailed(): boolean {
    return this.#declared.hasFailed();
  }

  onFailure(listener: () => void): Disposable {
    return this.#declared.onFailure(listener);
  }

  async restart(request: RestartRequest): Promise<PostponedRestart | undefined> {
    const { replaceInTurn, component, problems, state } = this.#init;
    const replace = () => this.#replace();
    if (replaceInTurn !== undefined) {
      const checkOwn = (timeoutMs: number) => this.#checkWithReason(timeoutMs);
      const settings = podSettings((await state.get(pointerTo(staticPods, component))).spec.pod);
      const report: ReplaceInTurnInit['report'] = (problem) => problems.report(component, settings, problem);
      return replaceInTurn({ replace, checkOwn, report }, request);
    }
    await replace();
    return undefined;
  }

  async #replace(): Promise<void> {
    const { services, component } = this.#init;
    await services.stop([component], 'Restarting with other settings');
    services.start([component]);
  }

  /** Why a program that ends cannot be reached is in the history of its service. */
  async #checkWithReason(timeoutMs: number): Promise<HealthResult> {
    const { services, component } = this.#init;
    const result = await this.#check(timeoutMs);
    if (result.healthy) return result;
    const last = services
      .records()
      .find(({ id }) => id === component)
      ?.history.at(-1);
    return { healthy: false, message: `${result.message}; ${last?.message ?? 'it has not started'}` };
  }

  #definition(): ServiceDefinition {
    const { component, restartIntervalMs } = this.#init;
    return {
      id: component,
      // So etcd is stopped after its clients.
      dependsOn: [serviceIds.etcd],
      outlivedBy: [serviceIds.machined],
      prepare: () => this.#prepare(),
      runner: restartRunner(this.#runner(), {
        policy: 'forever',
        intervalMs: restartIntervalMs,
        now: () => performance.now(),
        sleep: pause,
      }),
      health: { check: (timeoutMs) => this.#check(timeoutMs), ...health },
    };
  }

  async #prepare(): Promise<void> {
    const { state, component, place } = this.#init;
    this.#launch = undefined;
    const { pod } = (await state.get(pointerTo(staticPods, component))).spec;
    this.#launch = { settings: podSettings(pod), process: podProcess(pod, place) };
  }

  #runner(): Runner {
    const { component, logs, guard, state, place } = this.#init;
    const inherited = childEnvironment(this.#init.environment);
    const shared = {
      workingDirectory: `${place.root}/`,
      log: logs.open(component),
      guard,
      graceTimeoutMs,
      watcher: recordServicePid(state, component),
    };
    return {
      text: `Process(${component})`,
      run: async (report, signal) => {
        const launch = this.#launch;
        if (launch === undefined)
          throw new Fault('internal', `${component} was started before it was prepared`);
        const { argv, environment } = launch.process;
        const runner = createProcessRunner({
          ...shared,
          argv,
          environment: () => ({ ...inherited, ...environment }),
        });
        await runner.run(report, signal);
      },
    };
  }

  async #check(timeoutMs: number): Promise<HealthResult> {
    const request = this.#launch?.process.health;
    if (request === undefined)
      return {
        healthy: false,
        message: 'the configuration of this component allows no health check',
      } as const;
    const { host, port, path } = request;
    if (path === undefined) return createTcpProbe(`${host}:${port}`)(timeoutMs);
    return probeHttps({ host, port, path }, timeoutMs);
  }
}
