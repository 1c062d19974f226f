import {
  ConfigReader,
  controlPlaneSettings,
  effectiveConfig,
  generateConfig,
  generateSecrets,
  kubernetesIdentity,
  loadConfiguration,
  parsePatch,
  type SecretsBundle,
} from '@nodewright/machine-config';
import type { JsonObject } from '@nodewright/state';
import { apiServerArguments } from '../kubernetes/api-server-arguments.ts';
import {
  apiServerConfigFrom,
  controllerManagerConfigFrom,
  schedulerConfigFrom,
} from '../kubernetes/component-configs.ts';
import { controllerManagerArguments } from '../kubernetes/controller-manager-arguments.ts';
import { kubernetesRootFrom } from '../kubernetes/kubernetes-root.ts';
import { apiServerPod, controllerManagerPod, schedulerPod } from '../kubernetes/pod-manifest.ts';
import { schedulerArguments } from '../kubernetes/scheduler-arguments.ts';

// A promise, because test files that share a process ask at the same time, and all must get the same secrets.
let secrets: Promise<SecretsBundle> | undefined;

export interface ControlPlaneText {
  /** Minor version of the contract; 14 by default. Up to 13 everything is in the v1alpha1 document. */
  readonly minor?: number;
  readonly ipFamilies?: readonly ('ipv4' | 'ipv6')[];
  readonly localAPIServerPort?: number;
  /** Patches as YAML. */
  readonly patches?: readonly string[];
}

/** The configuration of a control plane as `gen config` writes it, with patches. */
export async function controlPlaneText({
  minor = 14,
  patches = [],
  ...options
}: ControlPlaneText = {}): Promise<string> {
  secrets ??= generateSecrets({ now: new Date(0) });
  return generateConfig({
    secrets: await secrets,
    clusterName: 'alpha',
    endpoint: 'https://10.5.0.1:6443',
    type: 'controlplane',
    contract: { major: 1, minor },
    options: { kubernetesVersion: '1.37.1', ...options },
    patches: patches.map(parsePatch),
  });
}

/** The pods by component that follow from a configuration, as the controllers make them. */
export function renderedPods(text: string): Record<string, JsonObject> {
  const documents = loadConfiguration(text);
  const reader = new ConfigReader(documents);
  const [settings, effective] = [controlPlaneSettings(reader), effectiveConfig(documents)];
  const root = kubernetesRootFrom(effective, kubernetesIdentity(reader), undefined);
  if (root === undefined) return {};
  const versions = { secrets: '1', config: '2', configFiles: '3' };
  const apiServer = apiServerConfigFrom(settings, effective.cluster);
  const controllerManager = controllerManagerConfigFrom(settings, effective.cluster);
  const scheduler = schedulerConfigFrom(settings);
  return {
    'kube-apiserver': apiServerPod({ ...apiServer, args: apiServerArguments(apiServer, root) }, versions),
    ...(controllerManager.enabled && {
      'kube-controller-manager': controllerManagerPod(
        { ...controllerManager, args: controllerManagerArguments(controllerManager) },
        versions,
      ),
    }),
    ...(scheduler.enabled && {
      'kube-scheduler': schedulerPod({ ...scheduler, args: schedulerArguments(scheduler) }, versions),
    }),
  };
}
