import type { EncodedSpec, Resource, ResourceDefinitionSpec } from '@nodewright/state';
import type { Facts } from './facts.ts';
import { kernelLog, type LogModel } from './log.ts';
import type { ProcessOrder, Sample } from './sample.ts';

/** How a node is, as seen from here. */
export type Reach =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'here' }
  | {
      readonly kind: 'away';
      readonly message: string;
      /** Where on the way it failed; undefined when the node itself said so. */
      readonly hop: string | undefined;
      readonly sinceMs: number;
    };

/** What is kept of past samples, the newest last. */
export interface History {
  readonly cpu: readonly number[];
  readonly memory: readonly number[];
  readonly received: readonly number[];
  readonly sent: readonly number[];
}

export interface ListedKind {
  readonly type: string;
  readonly resources: readonly Resource<EncodedSpec>[];
}

export interface NodeModel {
  /** As the user named it. */
  readonly name: string;
  readonly reach: Reach;
  readonly sample?: Sample;
  readonly before?: Sample;
  readonly history: History;
  readonly facts: Facts;
  readonly logs: Readonly<Record<string, LogModel>>;
  /** What the browser was told of this node. */
  readonly kinds?: readonly ResourceDefinitionSpec[];
  /** All resources of the kind that was entered last; undefined until the node has told them. */
  readonly listed?: ListedKind;
  /** Why the browser has nothing to show. */
  readonly browseProblem?: string;
}

export const screens = ['summary', 'monitor', 'resources', 'logs', 'nodes'] as const;
export type Screen = (typeof screens)[number];

/** Where in the resources the user is. */
export interface BrowserPlace {
  readonly level: 'kinds' | 'resources' | 'document';
  /** Type of the kind that was entered. */
  readonly type?: string;
  /** Id of the resource that was entered. */
  readonly id?: string;
  readonly kindAt: number;
  readonly resourceAt: number;
  readonly scroll: number;
}

export interface DashboardModel {
  readonly nodes: readonly NodeModel[];
  /** The nodes as they were when the user stopped the picture; what happens meanwhile is kept in `nodes`. */
  readonly frozen?: readonly NodeModel[];
  readonly nodeAt: number;
  readonly screen: Screen;
  /** Which log is shown, by the name of its service. */
  readonly log: string;
  /** Count of lines of that log up to the last one that is shown; undefined: it follows. */
  readonly logUpTo?: number;
  readonly order: ProcessOrder;
  readonly processAt: number;
  readonly place: BrowserPlace;
  /** What lists and logs are narrowed to. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly isTyping: boolean;
  readonly isLeaving: boolean;
}

const noHistory: History = { cpu: [], memory: [], received: [], sent: [] };

export function newNode(name: string): NodeModel {
  return {
    ...{ name, reach: { kind: 'connecting' }, history: noHistory, facts: {}, logs: {} },
  };
}

/** @param names of at least one node */
export function newModel(names: readonly string[]): DashboardModel {
  return {
    ...{ nodes: names.map(newNode), nodeAt: 0, screen: 'summary', log: kernelLog },
    ...{ order: 'cpu', processAt: 0, filter: '', isTyping: false, isLeaving: false },
    place: { level: 'kinds', kindAt: 0, resourceAt: 0, scroll: 0 },
  };
}

/** The nodes as they are to be shown. */
export const shownNodes = ({ nodes, frozen }: DashboardModel): readonly NodeModel[] => frozen ?? nodes;

/** The node that is looked at. */
export function shownNode(model: DashboardModel): NodeModel {
  return shownNodes(model)[model.nodeAt] as NodeModel;
}

/** The kernel's log and those of the services, in their order. */
export function logNames({ sample }: NodeModel): readonly string[] {
  const services = sample?.services?.map(({ id }) => id) ?? [];
  return [kernelLog, ...[...services].sort()];
}

/** The kind whose resources are to be shown; undefined among the kinds, and for one that the node does not have. */
export function kindOfPlace({ nodes, nodeAt, place }: DashboardModel): ResourceDefinitionSpec | undefined {
  if (place.level === 'kinds') return undefined;
  return nodes[nodeAt]?.kinds?.find(({ type }) => type === place.type);
}
