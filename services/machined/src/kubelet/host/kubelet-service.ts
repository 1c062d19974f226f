import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { pause } from '@nodewright/async';
import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import type { FollowingService, PostponedRestart, RestartRequest } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import { kubeletPorts } from '@nodewright/node-files';
import {
  type Condition,
  type DeclaredService,
  declaredService,
  type Runner,
  restartRunner,
  type ServiceDefinition,
  type ServiceManager,
} from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import { pointerTo, type State } from '@nodewright/state';
import { kubeletSecrets, kubeletSpecs } from '@nodewright/state/kinds';
import { recordServicePid } from '../../base/resources/record-service-pid.ts';
import { createContainerRunner } from '../../containers/host/container-runner.ts';
import { kubeletCgroup, kubeletContainer, kubeletContainerId } from '../domain/kubelet-container.ts';
import type { KubeletInput } from './kubelet-files.ts';
import { probeHttp } from './probe-http.ts';

export interface KubeletServiceInit {
  readonly state: State;
  readonly runtime: ContainerRuntime;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly conditions: readonly Condition[];
  /** Services of this node that the kubelet needs. */
  readonly dependsOn: readonly string[];
  /** Writes the files of the kubelet and prepares the node for it; called before each start of the service. */
  readonly prepare: (input: KubeletInput) => Promise<void>;
  /** Creates the cgroup of the kubelet with its limits. */
  readonly prepareCgroup: (path: string) => Promise<unknown>;
  /** Capabilities that machined may give away, as `CAP_…`. */
  readonly capabilities: readonly string[];
  readonly restartIntervalMs: number;
}

/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
/** Source: Talos v1.14: health checks, kubelet. */
const health = { initialDelayMs: 2_000, periodMs: 5_000, timeoutMs: 500 } as const;
const id = serviceIds.kubelet;

/** Identifies what the kubelet reads when it starts: when it differs, the kubelet has to be restarted. */
export function kubeletLaunchSettings({ spec, secrets }: KubeletInput): string {
  return createHash('sha256')
    .update(JSON.stringify([spec, secrets]))
    .digest('hex');
}

/** The kubelet as a service of the node, in a container of its runtime. Source: Talos v1.14: kubelet service. */
export class KubeletService implements Required<FollowingService> {
  readonly #init: KubeletServiceInit;
  readonly #declared: DeclaredService;
  #launch: (KubeletInput & { readonly settings: string }) | undefined;

  constructor(init: KubeletServiceInit) {
    this.#init = init;
    this.#declared = declaredService({ services: init.services, id, define: () => this.#definition() });
  }

  start(): void {
    this.#declared.start();
  }

  stop(): Promise<void> {
    return this.#declared.stop();
  }

  launchedWith(): string | undefined {
    return this.#init.services.lifeOf(id) === 'on' ? this.#launch?.settings : undefined;
  }

  hasFailed(): boolean {
    return this.#declared.hasFailed();
  }

  onFailure(listener: () => void): Disposable {
    return this.#declared.onFailure(listener);
  }

  async restart(_request: RestartRequest): Promise<PostponedRestart | undefined> {
    const { services } = this.#init;
    await services.stop([id], 'Restarting with other settings');
    services.start([id]);
    return undefined;
  }

  #definition(): ServiceDefinition {
    const { conditions, dependsOn, restartIntervalMs } = this.#init;
    return {
      id,
      dependsOn,
      outlivedBy: [serviceIds.machined],
      conditions,
      prepare: () => this.#prepare(),
      runner: restartRunner(this.#runner(), {
        policy: 'forever',
        intervalMs: restartIntervalMs,
        now: () => performance.now(),
        sleep: pause,
      }),
      health: {
        check: (timeoutMs) =>
          probeHttp({ host: '127.0.0.1', port: kubeletPorts.health, path: '/healthz' }, timeoutMs),
        ...health,
      },
    };
  }

  async #prepare(): Promise<void> {
    const { state, prepare } = this.#init;
    this.#launch = undefined;
    const { spec } = await state.get(pointerTo(kubeletSpecs));
    const { spec: secrets } = await state.get(pointerTo(kubeletSecrets));
    await prepare({ spec, secrets });
    this.#launch = { spec, secrets, settings: kubeletLaunchSettings({ spec, secrets }) };
  }

  #runner(): Runner {
    const { runtime, logs, state, capabilities, prepareCgroup } = this.#init;
    return createContainerRunner({
      ...{ runtime: runtime.name, namespace: runtime.namespace('system'), id: kubeletContainerId },
      ...{ log: logs.open(id), graceTimeoutMs, watcher: recordServicePid(state, id) },
      spec: async () => {
        const launch = this.#launch;
        if (launch === undefined)
          throw new Fault('internal', 'the kubelet was started before it was prepared');
        await prepareCgroup(kubeletCgroup);
        return kubeletContainer({ spec: launch.spec, capabilities, exists: existsSync });
      },
    });
  }
}
