// The configurations of the components with their complete command lines. Source: Talos v1.14: COSI resources, controlplane.
import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import {
  apiServerArguments,
  type ComponentName,
  controllerManagerArguments,
  schedulerArguments,
} from '@nodewright/node-files';
import { pointerTo, type ResourceKind } from '@nodewright/state';
import {
  apiServerConfigs,
  controllerManagerConfigs,
  kubernetesRootSecrets,
  schedulerConfigs,
} from '@nodewright/state/kinds';

const root = pointerTo(kubernetesRootSecrets);

/** The id of the resource with the complete command line of a component. */
export const finalId = (component: ComponentName) => `final-${component}` as const;

export function finalConfigControllers(): Controller[] {
  return [
    {
      ...completing(
        'k8s.ControlPlaneAPIServerFinalController',
        apiServerConfigs,
        'kube-apiserver',
        async (spec, pass) => {
          const identity = (await pass.get(root))?.spec;
          return identity && { ...spec, extraArgs: {}, args: apiServerArguments(spec, identity) };
        },
      ),
      inputs: [weak(apiServerConfigs, 'kube-apiserver'), weak(kubernetesRootSecrets, root.id)],
    },
    completing(
      'k8s.ControlPlaneControllerManagerFinalController',
      controllerManagerConfigs,
      'kube-controller-manager',
      (spec) => ({ ...spec, extraArgs: {}, args: controllerManagerArguments(spec) }),
    ),
    completing('k8s.ControlPlaneSchedulerFinalController', schedulerConfigs, 'kube-scheduler', (spec) => ({
      ...spec,
      extraArgs: {},
      args: schedulerArguments(spec),
    })),
  ];
}

/** A flag that must not be set fails the pass: the component keeps its earlier command line. */
function completing<S>(
  name: string,
  kind: ResourceKind<S>,
  component: ComponentName,
  complete: (spec: S, pass: ReconcilePass) => Promise<S | undefined> | S,
): Controller {
  return {
    name,
    inputs: [weak(kind, component)],
    outputs: [shared(kind)],
    async reconcile(pass) {
      const spec = (await pass.get(pointerTo(kind, component)))?.spec;
      const final = spec === undefined ? undefined : await complete(spec, pass);
      await pass.replace(kind, final === undefined ? [] : [{ id: finalId(component), spec: final }]);
    },
  };
}
