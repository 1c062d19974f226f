import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { components } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, services, staticPodStatuses, staticPods } from '@nodewright/state/kinds';
import { podSettings } from '../domain/pod-settings.ts';
import { processPodStatus, unsupportedPodStatus } from '../domain/pod-status.ts';
import type { PodRendering } from './kubernetes-controllers.ts';

/** Publishes the status of static pods on a node that runs the components of the control plane as processes. */
export function createProcessPodStatusController({
  address,
  problems,
}: NonNullable<PodRendering['processes']>): Controller {
  return {
    name: 'k8s.ProcessStaticPodStatusController',
    open(source, scope) {
      scope.use(problems.onChange(() => source.wake()));
    },
    inputs: [
      weak(staticPods),
      weak(hostnameStatuses),
      ...components.map((component) => weak(services, component)),
    ],
    outputs: [exclusive(staticPodStatuses)],
    async reconcile(pass) {
      const hostname = (await pass.get(pointerTo(hostnameStatuses)))?.spec.hostname;
      if (hostname === undefined) return;
      const statuses = [];
      for (const { metadata, spec } of await pass.list(staticPods)) {
        const component = components.find((name) => name === metadata.id);
        const service = component === undefined ? undefined : await pass.get(pointerTo(services, component));
        const { name = '', namespace = 'default' } = (spec.pod.metadata ?? {}) as Record<string, string>;
        statuses.push({
          id: `${namespace}/${name}-${hostname}`,
          spec: {
            podStatus:
              component === undefined
                ? unsupportedPodStatus
                : processPodStatus(
                    spec.pod,
                    service?.spec,
                    address,
                    problems.of(component, podSettings(spec.pod)),
                  ),
          },
        });
      }
      await pass.replace(staticPodStatuses, statuses);
    },
  };
}
