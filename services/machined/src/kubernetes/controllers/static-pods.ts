import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import {
  apiServerPod,
  type ComponentName,
  controllerManagerPod,
  type PodVersions,
  schedulerPod,
} from '@nodewright/node-files';
import { type JsonObject, pointerTo, type Resource, type ResourceKind } from '@nodewright/state';
import {
  apiServerConfigs,
  configStatuses,
  controllerManagerConfigs,
  schedulerConfigs,
  secretStatuses,
  services,
  staticPods,
} from '@nodewright/state/kinds';
import { versionOf } from '../domain/component-versions.ts';
import { podSettings } from '../domain/pod-settings.ts';
import type { PodGrant } from '../host/pod-grant.ts';
import { finalId } from './final-configs.ts';

const etcd = pointerTo(services, 'etcd');
/** Between two looks whether the API server of this node is ready. */
const lookAgainMs = 1_000;

export interface StaticPodGates {
  /** Decides when another pod of the API server is published. */
  readonly grant: PodGrant;
  /** Whether the API server of this node is ready. */
  readonly isServerReady: () => Promise<boolean>;
}

/**
 * Publishes the static pods of the control plane, the first time when etcd is healthy and their files are written. Later they
 * stay, whatever state etcd is in. The pods that need the API server of the node follow when it has been ready once: they would end
 * without it, and a kubelet pauses 10 s and then 20 s before it starts a pod again. Source: Talos v1.14:
 * k8s.ControlPlaneStaticPodController.
 *
 * @param gates of a node with a kubelet; without them every pod is published at once
 */
export function createControlPlaneStaticPodController(gates?: StaticPodGates): Controller {
  const grant = gates?.grant;
  let wasReady = gates === undefined;
  return {
    name: 'k8s.ControlPlaneStaticPodController',
    inputs: [
      weak(apiServerConfigs, finalId('kube-apiserver')),
      weak(controllerManagerConfigs, finalId('kube-controller-manager')),
      weak(schedulerConfigs, finalId('kube-scheduler')),
      weak(secretStatuses, secretStatuses.singleton),
      weak(configStatuses, configStatuses.singleton),
      weak(services, etcd.id),
    ],
    outputs: [shared(staticPods)],
    open(source, scope) {
      if (grant !== undefined) scope.use(grant.onChange(() => source.wake()));
    },
    async reconcile(pass) {
      const apiServer = await finalOf(pass, apiServerConfigs, 'kube-apiserver');
      if (apiServer === undefined) {
        await pass.replace(staticPods, []);
        return grant?.update(undefined, undefined);
      }
      const controllerManager = await finalOf(pass, controllerManagerConfigs, 'kube-controller-manager');
      const scheduler = await finalOf(pass, schedulerConfigs, 'kube-scheduler');
      const secrets = (await pass.get(pointerTo(secretStatuses)))?.spec;
      const configs = (await pass.get(pointerTo(configStatuses)))?.spec;
      if (controllerManager === undefined || scheduler === undefined) return;
      if (!secrets?.ready || !configs?.ready) return;
      const running = (await pass.get(pointerTo(staticPods, 'kube-apiserver')))?.spec.pod;
      if (running === undefined && !(await pass.get(etcd))?.spec.healthy) return;

      const versions = (
        component: ComponentName,
        { metadata }: Pick<Resource<unknown>, 'metadata'>,
      ): PodVersions => ({
        secrets: versionOf(secrets.version, component),
        config: String(metadata.version),
        configFiles: versionOf(configs.version, component),
      });
      const wanted = apiServerPod(apiServer.spec, versions('kube-apiserver', apiServer));
      const isPublished = running === undefined || grant === undefined || grant.allows(podSettings(wanted));
      const published = isPublished ? wanted : running;
      wasReady ||= running !== undefined && (await gates?.isServerReady()) === true;
      if (!wasReady) pass.wakeAfter(lookAgainMs);
      const pods: Partial<Record<ComponentName, JsonObject>> = {
        'kube-apiserver': published,
        ...(wasReady &&
          controllerManager.spec.enabled && {
            'kube-controller-manager': controllerManagerPod(
              controllerManager.spec,
              versions('kube-controller-manager', controllerManager),
            ),
          }),
        ...(wasReady &&
          scheduler.spec.enabled && {
            'kube-scheduler': schedulerPod(scheduler.spec, versions('kube-scheduler', scheduler)),
          }),
      };
      await pass.replace(
        staticPods,
        Object.entries(pods).map(([id, pod]) => ({ id, spec: { pod } })),
      );
      grant?.update(podSettings(wanted), podSettings(published));
    },
  };
}

function finalOf<S>(
  pass: ReconcilePass,
  kind: ResourceKind<S>,
  component: ComponentName,
): Promise<Resource<S> | undefined> {
  return pass.get(pointerTo(kind, finalId(component)));
}
