import { compareByBytes } from '@nodewright/state';
import type { Controller, Input } from './controller.ts';

/**
 * One edge between a controller and a resource that it reads or writes. Source: Talos v1.14: COSI inspect
 * API.
 */
export interface DependencyEdge {
  readonly controller: string;
  readonly kind: 'output-exclusive' | 'output-shared' | 'input-strong' | 'input-weak' | 'input-destroy-ready';
  /** Empty for outputs. */
  readonly namespace: string;
  readonly type: string;
  /** Empty for outputs, and for inputs of a whole kind. */
  readonly id: string;
}

/** All edges: exclusive outputs, shared outputs, inputs, each by controller, namespace, type and id. */
export function dependencyGraph(
  controllers: readonly (Pick<Controller, 'name' | 'outputs'> & { readonly inputs: readonly Input[] })[],
): readonly DependencyEdge[] {
  const outputs = (kind: 'exclusive' | 'shared') =>
    controllers.flatMap(({ name, outputs }) =>
      outputs
        .filter((output) => output.kind === kind)
        .map(
          ({ type }): DependencyEdge => ({
            controller: name,
            kind: `output-${kind}`,
            namespace: '',
            type,
            id: '',
          }),
        ),
    );
  const inputs = controllers.flatMap(({ name, inputs }) =>
    inputs.map(
      ({ namespace, type, id = '', kind }): DependencyEdge => ({
        controller: name,
        kind: `input-${kind}`,
        namespace,
        type,
        id,
      }),
    ),
  );
  return [outputs('exclusive'), outputs('shared'), inputs].flatMap((edges) => edges.sort(compareEdges));
}

function compareEdges(a: DependencyEdge, b: DependencyEdge): number {
  for (const key of ['controller', 'namespace', 'type', 'id'] as const) {
    const order = compareByBytes(a[key], b[key]);
    if (order !== 0) return order;
  }
  return 0;
}
