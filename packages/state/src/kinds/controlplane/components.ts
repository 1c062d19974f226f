import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  int,
  list,
  mapOf,
  message,
  object,
  text,
  textMap,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { argValues } from '../k8s/arg-values.ts';
import { resources } from './resources.ts';

const extraVolume = message({
  name: field(1, text),
  hostPath: field(2, text),
  mountPath: field(3, text),
  readonly: field(4, bool),
});
export type ExtraVolume = ValueOf<typeof extraVolume>;

/** `kube-apiserver` is the configuration; `final-kube-apiserver` has the complete arguments. */
export const apiServerConfigs = defineKind({
  type: 'APIServerConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  isSensitive: true,
  spec: {
    image: field(1, text),
    /** `external`, or empty. */
    cloudProvider: field(2, text),
    controlPlaneEndpoint: field(3, text),
    etcdServers: field(4, list(text)),
    localPort: field(5, int),
    /** CIDR subnets of services. */
    serviceCIDR: field(6, list(text)),
    /** Only in `kube-apiserver`. */
    extraArgs: field(13, mapOf(argValues)),
    /** Only in `final-kube-apiserver`. */
    args: unlessEmpty(16, list(text)),
    extraVolumes: field(8, list(extraVolume)),
    environmentVariables: field(9, textMap),
    /** `$(POD_IP)`, or empty. */
    advertisedAddress: field(11, text),
    resources: field(12, resources),
    startupProbesEnabled: field(14, bool),
    useAuthenticationConfig: field(15, bool),
  },
});
export type ApiServerConfigSpec = SpecOf<typeof apiServerConfigs>;

/**
 * `kube-controller-manager` is the configuration; `final-kube-controller-manager` has the complete arguments.
 */
export const controllerManagerConfigs = defineKind({
  type: 'ControllerManagerConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  spec: {
    enabled: field(1, bool),
    image: field(2, text),
    /** `external`, or empty. */
    cloudProvider: field(3, text),
    podCIDRs: field(4, list(text)),
    serviceCIDRs: field(5, list(text)),
    /** Only in `kube-controller-manager`. */
    extraArgs: unlessEmpty(10, mapOf(argValues)),
    /** Only in `final-kube-controller-manager`. */
    args: unlessEmpty(11, list(text)),
    extraVolumes: field(7, list(extraVolume)),
    environmentVariables: field(8, textMap),
    resources: field(9, resources),
    nodeCIDRMaskSizeIPv4: field(12, int),
    nodeCIDRMaskSizeIPv6: field(13, int),
  },
});
export type ControllerManagerConfigSpec = SpecOf<typeof controllerManagerConfigs>;

/** `kube-scheduler` is the configuration; `final-kube-scheduler` has the complete arguments. */
export const schedulerConfigs = defineKind({
  type: 'SchedulerConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  spec: {
    enabled: field(1, bool),
    image: field(2, text),
    /** Only in `kube-scheduler`. */
    extraArgs: unlessEmpty(8, mapOf(argValues)),
    /** Only in `final-kube-scheduler`. */
    args: unlessEmpty(9, list(text)),
    config: field(7, object),
    extraVolumes: field(4, list(extraVolume)),
    environmentVariables: field(5, textMap),
    resources: field(6, resources),
  },
});
export type SchedulerConfigSpec = SpecOf<typeof schedulerConfigs>;
