// The resources of the control plane that follow from the configuration alone. Source: Talos v1.14: COSI resources,
// controlplane.
import { type Controller, exclusive, shared, weak } from '@nodewright/controllers';
import {
  admissionControlFrom,
  apiServerConfigFrom,
  auditPolicyFrom,
  authenticationFrom,
  authorizationFrom,
  controllerManagerConfigFrom,
  schedulerConfigFrom,
} from '@nodewright/node-files';
import type { ResourceKind } from '@nodewright/state';
import {
  admissionControlConfigs,
  apiServerConfigs,
  auditPolicyConfigs,
  authenticationConfigs,
  authorizationConfigs,
  controllerManagerConfigs,
  machineConfigs,
  schedulerConfigs,
} from '@nodewright/state/kinds';
import { activeConfigId } from '../../base/controllers/configuration-of.ts';
import { type KubernetesConfiguration, kubernetesConfigurationOf } from './kubernetes-configuration.ts';

export function controlPlaneConfigControllers(): Controller[] {
  return [
    following('k8s.ControlPlaneAPIServerController', apiServerConfigs, 'kube-apiserver', (configuration) =>
      apiServerConfigFrom(configuration.settings, configuration.effective.cluster),
    ),
    following(
      'k8s.ControlPlaneControllerManagerController',
      controllerManagerConfigs,
      'kube-controller-manager',
      (configuration) => controllerManagerConfigFrom(configuration.settings, configuration.effective.cluster),
    ),
    following('k8s.ControlPlaneSchedulerController', schedulerConfigs, 'kube-scheduler', ({ settings }) =>
      schedulerConfigFrom(settings),
    ),
    following(
      'k8s.ControlPlaneAdmissionControlController',
      admissionControlConfigs,
      admissionControlConfigs.singleton,
      ({ settings }) => admissionControlFrom(settings),
    ),
    following(
      'k8s.ControlPlaneAuditPolicyController',
      auditPolicyConfigs,
      auditPolicyConfigs.singleton,
      ({ settings }) => auditPolicyFrom(settings),
    ),
    following(
      'k8s.ControlPlaneAuthenticationController',
      authenticationConfigs,
      authenticationConfigs.singleton,
      ({ settings }) => authenticationFrom(settings),
    ),
    following(
      'k8s.ControlPlaneAuthorizationController',
      authorizationConfigs,
      authorizationConfigs.singleton,
      ({ settings }) => authorizationFrom(settings),
    ),
  ];
}

/** Kinds whose complete form another controller writes beside it. */
const withFinalForm: readonly ResourceKind[] = [apiServerConfigs, controllerManagerConfigs, schedulerConfigs];

/** A controller that keeps one resource like the configuration while the node runs an API server. */
function following<S>(
  name: string,
  kind: ResourceKind<S>,
  id: string,
  specFrom: (configuration: KubernetesConfiguration) => S,
): Controller {
  return {
    name,
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [withFinalForm.includes(kind as ResourceKind) ? shared(kind) : exclusive(kind)],
    async reconcile(pass) {
      const configuration = await kubernetesConfigurationOf(pass);
      await pass.replace(kind, configuration === undefined ? [] : [{ id, spec: specFrom(configuration) }]);
    },
  };
}
