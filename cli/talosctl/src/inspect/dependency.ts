import {
  type ControllerDependencyEdge,
  DependencyEdgeType,
} from '@nodewright/contract/gen/inspect/inspect.ts';
import { Fault } from '@nodewright/fault';
import { printableCell } from '../render/printable.ts';

/** The kinds of dependencies between controllers and resources, as this program names them. */
export const dependencyKinds = [
  'output-exclusive',
  'output-shared',
  'input-strong',
  'input-weak',
  'input-destroy-ready',
] as const;
export type DependencyKind = (typeof dependencyKinds)[number];

/** A dependency between a controller and a resource type. */
export interface Dependency {
  readonly controller: string;
  readonly kind: DependencyKind;
  /** Empty for outputs. */
  readonly namespace: string;
  readonly type: string;
  /** The id of one resource; empty for all. */
  readonly id: string;
}

const kindOf: Readonly<Record<number, DependencyKind>> = {
  [DependencyEdgeType.OUTPUT_EXCLUSIVE]: 'output-exclusive',
  [DependencyEdgeType.OUTPUT_SHARED]: 'output-shared',
  [DependencyEdgeType.INPUT_STRONG]: 'input-strong',
  [DependencyEdgeType.INPUT_WEAK]: 'input-weak',
  [DependencyEdgeType.INPUT_DESTROY_READY]: 'input-destroy-ready',
};

/** @throws Fault `unknown` for an unknown type of edge */
export function dependencyFromEdge(edge: ControllerDependencyEdge): Dependency {
  const kind = kindOf[edge.edgeType];
  if (kind === undefined) {
    throw new Fault('unknown', `${edge.controllerName} has an edge of the unknown type ${edge.edgeType}`);
  }
  return {
    controller: printableCell(edge.controllerName),
    kind,
    namespace: printableCell(edge.resourceNamespace),
    type: printableCell(edge.resourceType),
    id: printableCell(edge.resourceId),
  };
}

export const isOutput = ({ kind }: Dependency): boolean => kind.startsWith('output');

/** Ids of existing resources by type. */
export type ResourceIds = ReadonlyMap<string, readonly string[]>;
