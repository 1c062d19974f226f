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
 * What reads and writes what on the node, in the order of the graph.
 *
 * @param graph `ControllerRuntime.graph`, asked with every call: controllers change their inputs as they run
 */
export function createInspect(graph: () => readonly DependencyEdge[]): InspectServiceImplementation {
  return {
    async controllerRuntimeDependencies() {
      const edges = graph().map(({ controller, kind, namespace, type, id }) => ({
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
