import type { Controller } from '@nodewright/controllers';
import type { ApplyInTurn } from '../host/apply-in-turn.ts';
import type { ComponentFileStore } from '../host/component-files.ts';
import type { LoadManifest } from '../host/load-manifest.ts';
import type { PodProblems } from '../host/pod-problems.ts';
import {
  createBootstrapManifestsConfigController,
  createExtraManifestsConfigController,
  createManifestController,
} from './bootstrap-manifests.ts';
import { controlPlaneConfigControllers } from './control-plane-configs.ts';
import { createKubernetesDynamicCertsController } from './dynamic-certs.ts';
import { createEtcdEncryptionController } from './etcd-encryption.ts';
import { createExtraManifestController } from './extra-manifests.ts';
import { finalConfigControllers } from './final-configs.ts';
import {
  createKubePrismConfigController,
  createKubePrismController,
  createKubePrismEndpointsController,
  type OpenKubePrism,
} from './kube-prism.ts';
import { createKubernetesCertSansController } from './kubernetes-cert-sans.ts';
import { createKubernetesSecretsController } from './kubernetes-secrets.ts';
import { createManifestApplyController } from './manifest-apply.ts';
import { createProcessPodStatusController } from './process-pod-statuses.ts';
import { createRenderConfigsController } from './render-configs.ts';
import { createRenderSecretsController } from './render-secrets.ts';
import { createRootKubernetesController } from './root-kubernetes.ts';
import { createStaticPodConfigController } from './static-pod-config.ts';
import { createControlPlaneStaticPodController, type StaticPodGates } from './static-pods.ts';

/** How a node runs static pods. */
export interface PodRendering {
  readonly secrets: ComponentFileStore;
  readonly configs: ComponentFileStore;
  /** The folder below which the components find the files of the node; empty in containers. */
  readonly root: string;
  /** When a kubelet is given which pods; `undefined` when the components are processes. */
  readonly gates: StaticPodGates | undefined;
  /** Set when the components are processes of the node, `undefined` when a kubelet runs the pods. */
  readonly processes: { readonly address: string; readonly problems: PodProblems } | undefined;
}

export interface KubernetesControllersInit {
  /** Address of the node's API server, set when other nodes share the host. */
  readonly ownAddress: string | undefined;
  /** `undefined` on a node that runs no static pods. */
  readonly pods: PodRendering | undefined;
  readonly openKubePrism: OpenKubePrism;
  readonly manifests: { readonly loadManifest: LoadManifest; readonly applyInTurn: ApplyInTurn };
}

/** Source: Talos v1.14: COSI resources, secrets, k8s, controlplane. */
export function kubernetesControllers({
  ownAddress,
  pods,
  manifests,
  openKubePrism,
}: KubernetesControllersInit): Controller[] {
  return [
    createRootKubernetesController(ownAddress),
    createKubernetesCertSansController(),
    createKubernetesDynamicCertsController(),
    createKubernetesSecretsController(ownAddress),
    createEtcdEncryptionController(),
    ...controlPlaneConfigControllers(),
    ...finalConfigControllers(),
    createBootstrapManifestsConfigController(),
    createExtraManifestsConfigController(),
    createManifestController(),
    createExtraManifestController(manifests.loadManifest),
    createKubePrismEndpointsController(ownAddress),
    createKubePrismConfigController(ownAddress),
    createKubePrismController(openKubePrism),
    createManifestApplyController(manifests.applyInTurn),
    ...(pods === undefined
      ? []
      : [
          createRenderSecretsController(pods.secrets),
          createRenderConfigsController(pods.configs, pods.root),
          createControlPlaneStaticPodController(pods.gates),
          createStaticPodConfigController(),
          ...(pods.processes === undefined ? [] : [createProcessPodStatusController(pods.processes)]),
        ]),
  ];
}
