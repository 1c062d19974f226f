import { resolve } from 'node:path';
import { systemTimers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import { components, componentUsers } from '@nodewright/node-files';
import type { ExitGuard, ServiceManager } from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { prepareFolder } from '../base/host/prepare-folder.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import { kubernetesControllers, type PodRendering } from './controllers/kubernetes-controllers.ts';
import { createPodServiceController } from './controllers/pod-services.ts';
import { createPodTurnController } from './controllers/pod-turn.ts';
import type { StaticPodGates } from './controllers/static-pods.ts';
import { createApplyInTurn } from './host/apply-in-turn.ts';
import { checkReadiness, createCheckApiServer } from './host/check-api-server.ts';
import { checkEndpoint } from './host/check-endpoint.ts';
import { createComponentFiles, fileOwner } from './host/component-files.ts';
import { fetchManifest } from './host/fetch-manifest.ts';
import { KubePrism } from './host/kube-prism.ts';
import { createLoadManifest } from './host/load-manifest.ts';
import { absentControlPlanes, checkAddresses, otherServers } from './host/other-servers.ts';
import { PodGrant } from './host/pod-grant.ts';
import type { PodProblems } from './host/pod-problems.ts';
import { PodService, type ReplaceInTurn } from './host/pod-service.ts';
import { replaceInTurn } from './host/replace-in-turn.ts';
import { ServerContainer } from './host/server-container.ts';
import { createKubeconfig } from './rpc/kubeconfig.ts';

export interface OpenKubernetesInit {
  readonly options: { readonly kubernetesDir?: string; readonly restartInterval: number };
  /** Whether the node has a kubelet, which runs the static pods. */
  readonly hasKubelet: boolean;
  /** Why the components of this node are not up to date or not ready. */
  readonly podProblems: PodProblems;
  readonly world: Pick<World, 'staticPods'>;
  readonly layout: NodeLayout;
  readonly state: State;
  /** Addresses of the node, set when other nodes share the host; otherwise `undefined`. */
  readonly addresses: readonly string[] | undefined;
  /** Connects to etcd of the cluster, as an administrator. */
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Unix time in ms. */
  readonly now: () => number;
}

export interface KubernetesTopic extends Topic {
  /** Allows the components of the control plane to start once their static pods exist. */
  begin(signal: AbortSignal): Promise<void>;
}

/** How long the API server of this node may take to answer that it is ready. */
const checkTimeoutMs = 2_000;
/** Secrets and configuration may be read only by the user of the node. */
const privateMode = 0o700;

/**
 * Opens the topic of Kubernetes: its secrets, the configuration of its control plane, and its processes where the node runs
 * static pods itself. It starts nothing.
 */
export function openKubernetes(init: OpenKubernetesInit): KubernetesTopic {
  const { state, now } = init;
  const [ownAddress] = init.addresses ?? [];
  const pods = podsOf(init, ownAddress) ?? podsForKubelet(init);
  return {
    controllers: [
      ...kubernetesControllers({
        ownAddress,
        pods: pods?.rendering,
        openKubePrism: (kubePrism) =>
          new KubePrism({ ...kubePrism, check: checkEndpoint, timers: systemTimers }),
        manifests: {
          loadManifest: createLoadManifest(fetchManifest),
          applyInTurn: createApplyInTurn({ openEtcd: init.openEtcd, timers: systemTimers }),
        },
      }),
      ...(pods?.followers ?? []),
    ],
    api: { 'machine.MachineService': createKubeconfig(state, now) },
    async begin(signal) {
      await Promise.all((pods?.followers ?? []).map((follower) => follower.begin(signal)));
    },
  };
}

/** What a node needs whose kubelet runs the components; `undefined` on all others. */
function podsForKubelet(init: OpenKubernetesInit) {
  const { hasKubelet, podProblems: problems, state } = init;
  if (!hasKubelet) return undefined;
  const grant = new PodGrant();
  const check = createCheckApiServer(state);
  const turn = createPodTurnController({
    ...{ grant, problems, checkOwn: check, replaceInTurn: apiServerInTurn(init) },
    container: new ServerContainer(state),
  });
  const isServerReady = async () => (await check(checkTimeoutMs)).healthy;
  return { rendering: renderingForKubelet(init, { grant, isServerReady }), followers: [turn] };
}

/** The files of the components at the paths that their pods mount, each readable by the user of its pod alone. */
function renderingForKubelet({ layout }: OpenKubernetesInit, gates: StaticPodGates): PodRendering {
  const { kubernetesSecrets, kubernetesConfig, kubernetesAudit } = layout.paths;
  const owners = componentUsers;
  const secrets = createComponentFiles(kubernetesSecrets, { owners });
  return {
    secrets: {
      async write(files) {
        // The API server writes its audit log there as its own user.
        if (files['kube-apiserver'] !== undefined)
          await prepareFolder({
            path: kubernetesAudit,
            mode: privateMode,
            owner: fileOwner(owners['kube-apiserver']),
          });
        await secrets.write(files);
      },
    },
    configs: createComponentFiles(kubernetesConfig, { owners }),
    root: '',
    gates,
    processes: undefined,
  };
}

/** What a node needs that runs the components as processes; `undefined` on all others. */
function podsOf(init: OpenKubernetesInit, address: string | undefined) {
  const { options, world, layout } = init;
  const { kubernetesDir: programs } = options;
  if (world.staticPods !== 'processes' || programs === undefined || address === undefined) return undefined;
  const { root, paths } = layout;
  const problems = init.podProblems;
  const rendering: PodRendering = {
    secrets: createComponentFiles(paths.kubernetesSecrets, { parentMode: privateMode }),
    configs: createComponentFiles(paths.kubernetesConfig, { parentMode: privateMode }),
    root,
    gates: undefined,
    processes: { address, problems },
  };
  const place = { root, address, programs: resolve(programs) };
  const followers = components.map((component) =>
    createPodServiceController(
      component,
      new PodService({
        ...{ ...init, component, place, problems, restartIntervalMs: options.restartInterval },
        // The other components elect a leader among them, so each may be replaced at any time.
        ...(component === 'kube-apiserver' && { replaceInTurn: apiServerInTurn(init) }),
      }),
    ),
  );
  return { rendering, followers };
}

/** Replaces the API server of this node only while those of all other control planes are ready. */
function apiServerInTurn({ openEtcd, state, log }: OpenKubernetesInit): ReplaceInTurn {
  return (component, request) =>
    replaceInTurn(
      {
        ...component,
        ...{ openEtcd, log, timers: systemTimers },
        others: () => otherServers(state),
        absent: (voters) => absentControlPlanes(state, voters),
        checkOther: (server, timeoutMs) =>
          checkAddresses(server, timeoutMs, (endpoint) => checkReadiness(state, endpoint, timeoutMs)),
      },
      request,
    );
}
