// The resources of the components of the control plane, as the configuration describes them. Source: Talos v1.14: COSI
// resources, controlplane.
import type { ComponentSettings, ControlPlaneSettings, EffectiveConfig } from '@nodewright/machine-config';
import type {
  ApiServerConfigSpec,
  ControllerManagerConfigSpec,
  SchedulerConfigSpec,
} from '@nodewright/state/kinds';
import { jsonFromYaml } from './json-from-yaml.ts';

/** The variable that the pod replaces by its address. */
export const podAddressVariable = '$(POD_IP)';

type Cluster = EffectiveConfig['cluster'];

/** What a component requests when the configuration does not say. Source: Talos v1.14: static pods. */
const requests = {
  apiServer: { cpu: '200m', memory: '512Mi' },
  controllerManager: { cpu: '50m', memory: '256Mi' },
  scheduler: { cpu: '10m', memory: '64Mi' },
} as const;

export function apiServerConfigFrom(settings: ControlPlaneSettings, cluster: Cluster): ApiServerConfigSpec {
  const { apiServer, authentication } = settings;
  return {
    image: apiServer.image,
    cloudProvider: cloudProviderOf(settings),
    controlPlaneEndpoint: cluster.endpoint,
    etcdServers: ['https://127.0.0.1:2379'],
    localPort: cluster.apiServerPort,
    serviceCIDR: cluster.serviceSubnets,
    extraArgs: argumentsOf(apiServer),
    args: [],
    extraVolumes: volumesOf(apiServer),
    environmentVariables: apiServer.environment,
    advertisedAddress: settings.skipNodeRegistration ? '' : podAddressVariable,
    resources: resourcesOf(apiServer, requests.apiServer),
    startupProbesEnabled: apiServer.startupProbes,
    useAuthenticationConfig: authentication !== undefined,
  };
}

export function controllerManagerConfigFrom(
  settings: ControlPlaneSettings,
  cluster: Cluster,
): ControllerManagerConfigSpec {
  const { controllerManager, nodeMasks } = settings;
  return {
    enabled: controllerManager.enabled,
    image: controllerManager.image,
    cloudProvider: cloudProviderOf(settings),
    podCIDRs: cluster.podSubnets,
    serviceCIDRs: cluster.serviceSubnets,
    extraArgs: argumentsOf(controllerManager),
    args: [],
    extraVolumes: volumesOf(controllerManager),
    environmentVariables: controllerManager.environment,
    resources: resourcesOf(controllerManager, requests.controllerManager),
    nodeCIDRMaskSizeIPv4: nodeMasks.ipv4,
    nodeCIDRMaskSizeIPv6: nodeMasks.ipv6,
  };
}

export function schedulerConfigFrom({ scheduler }: ControlPlaneSettings): SchedulerConfigSpec {
  return {
    enabled: scheduler.enabled,
    image: scheduler.image,
    extraArgs: argumentsOf(scheduler),
    args: [],
    config: jsonFromYaml(scheduler.config),
    extraVolumes: volumesOf(scheduler),
    environmentVariables: scheduler.environment,
    resources: resourcesOf(scheduler, requests.scheduler),
  };
}

const cloudProviderOf = ({ usesExternalCloudProvider }: ControlPlaneSettings) =>
  usesExternalCloudProvider ? 'external' : '';

function argumentsOf({ extraArgs }: ComponentSettings): ApiServerConfigSpec['extraArgs'] {
  return Object.fromEntries(Object.entries(extraArgs).map(([name, values]) => [name, { values }]));
}

function volumesOf({ extraVolumes }: ComponentSettings): ApiServerConfigSpec['extraVolumes'] {
  return extraVolumes.map((volume, at) => ({ name: `extra-volume-${at}`, ...volume }));
}

/** A limit below the usual request also lowers the request only if the configuration says so: Kubernetes would refuse it. */
function resourcesOf(
  { resources }: ComponentSettings,
  defaults: Readonly<Record<string, string>>,
): ApiServerConfigSpec['resources'] {
  return { requests: { ...defaults, ...resources.requests }, limits: resources.limits };
}
