import {
  DependencyEdgeType,
  type InspectServiceImplementation,
} from '@nodewright/contract/gen/inspect/inspect.ts';
import type { DependencyEdge } from '@nodewright/controllers';

const edgeTypes = {
  'output-exclusive': DependencyEdgeType.OUTPUT_EXCLUSIVE,
  'output-shared': DependencyEdgeType.OUTPUT_SHARED,
  'input-strong': DependencyEdgeType.INPUT_STRONG,
  'input-weak': DependencyEdgeType.INPUT_WEAK,
  'input-destroy-ready': DependencyEdgeType.INPUT_DESTROY_READY,
} as const satisfies Record<DependencyEdge['kind'], DependencyEdgeType>;

/**
 * Which controllers read and write which kinds, in the order of the graph. Kinds that are not registered are
 * left out: the API refuses to read them, and upstream's `talosctl inspect dependencies --with-resources`
 * fails at the first of them.
 *
 * @param graph `ControllerRuntime.graph`, called for every request, because controllers change their inputs
 * while they run
 */
export function createInspect(
  graph: () => readonly DependencyEdge[],
  isRegistered: (type: string) => boolean,
): InspectServiceImplementation {
  return {
    async controllerRuntimeDependencies() {
      const shown = graph().filter(({ type }) => isRegistered(type));
      const edges = shown.map(({ controller, kind, namespace, type, id }) => ({
        controllerName: controller,
        edgeType: edgeTypes[kind],
        resourceNamespace: namespace,
        resourceType: type,
        resourceId: id,
      }));
      return { messages: [{ metadata: undefined, edges }] };
    },
  };
}
