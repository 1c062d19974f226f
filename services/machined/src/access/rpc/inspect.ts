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
 * What reads and writes what on the node, in the order of the graph. Kinds that are not registered are left out: the API
 * refuses them, and `talosctl inspect dependencies --with-resources` of upstream ends with an error at the first of them.
 *
 * @param graph `ControllerRuntime.graph`, asked with every call: controllers change their inputs as they run
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
