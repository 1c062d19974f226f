import type { EncodedSpec, Resource, ResourceDefinitionSpec } from '@nodewright/state';
import { type EtcdModel, unknownEtcd } from './etcd.ts';
import type { EventLine } from './event-log.ts';
import type { Facts } from './facts.ts';
import { allServices, kernelLog, type LogModel } from './log.ts';
import type { Overlay, StartedAction } from './overlay.ts';
import type { ProcessOrder, Sample } from './sample.ts';

/** The state of a node as the dashboard sees it. */
export type Reach =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'here' }
  | {
      readonly kind: 'away';
      readonly message: string;
      /** The hop that failed; undefined when the node itself reported the failure. */
      readonly hop: string | undefined;
      readonly sinceMs: number;
    };

/** The most recent samples, newest last. */
export interface History {
  readonly cpu: readonly number[];
  readonly memory: readonly number[];
  readonly received: readonly number[];
  readonly sent: readonly number[];
  /** The times of the samples. The other lists may be shorter, because rates need two samples. */
  readonly elapsedMs: readonly number[];
}

export interface ListedKind {
  readonly type: string;
  readonly resources: readonly Resource<EncodedSpec>[];
}

export interface NodeModel {
  /** The name that the user gave. */
  readonly name: string;
  readonly reach: Reach;
  readonly sample?: Sample;
  readonly before?: Sample;
  readonly history: History;
  readonly facts: Facts;
  readonly logs: Readonly<Record<string, LogModel>>;
  readonly events: readonly EventLine[];
  /** What this node knows of etcd. */
  readonly etcd: EtcdModel;
  /** The action that was started last. */
  readonly action?: StartedAction;
  /** What the browser received from this node. */
  readonly kinds?: readonly ResourceDefinitionSpec[];
  /** All resources of the kind that was opened last; undefined until they have arrived. */
  readonly listed?: ListedKind;
  /** Why the browser has nothing to show. */
  readonly browseProblem?: string;
}

export const screens = ['summary', 'monitor', 'resources', 'logs', 'nodes', 'events', 'etcd'] as const;
export type Screen = (typeof screens)[number];

/** The position of the user in the browser of resources. */
export interface BrowserPlace {
  readonly level: 'kinds' | 'resources' | 'document';
  /** Type of the open kind. */
  readonly type?: string;
  /** Id of the open resource. */
  readonly id?: string;
  readonly kindAt: number;
  readonly resourceAt: number;
  readonly scroll: number;
}

export interface DashboardModel {
  readonly nodes: readonly NodeModel[];
  /** The nodes when the user froze the picture; later events are kept in `nodes`. */
  readonly frozen?: readonly NodeModel[];
  readonly nodeAt: number;
  readonly screen: Screen;
  /** The log that is shown, by the name of its service; `allServices` merges those of all. */
  readonly log: string;
  /** Whether the user has selected a log. */
  readonly isLogChosen: boolean;
  /** Whether the screens show the logs and the events of all nodes rather than of the selected one. */
  readonly everywhere: { readonly logs: boolean; readonly events: boolean };
  /** Whether logs show the requests of this dashboard. */
  readonly showsOwnRequests: boolean;
  /** The selected event; undefined while the last one is selected. */
  readonly eventId?: string | undefined;
  /** What lies over the screen. */
  readonly overlay?: Overlay | undefined;
  /** Count of lines of that log up to the last one shown; undefined while it follows the end. */
  readonly logUpTo?: number;
  readonly order: ProcessOrder;
  readonly processAt: number;
  readonly place: BrowserPlace;
  /** The filter of lists and logs. */
  readonly filter: string;
  /** Whether the user is typing the filter. */
  readonly isTyping: boolean;
  readonly isLeaving: boolean;
}

const noHistory: History = { cpu: [], memory: [], received: [], sent: [], elapsedMs: [] };

export function newNode(name: string): NodeModel {
  return {
    ...{ name, reach: { kind: 'connecting' }, history: noHistory, facts: {}, logs: {} },
    ...{ events: [], etcd: unknownEtcd },
  };
}

/** @param names of at least one node */
export function newModel(names: readonly string[]): DashboardModel {
  return {
    ...{ nodes: names.map(newNode), nodeAt: 0, screen: 'summary', log: kernelLog, isLogChosen: false },
    ...{ everywhere: { logs: false, events: true }, showsOwnRequests: false },
    ...{ order: 'cpu', processAt: 0, filter: '', isTyping: false, isLeaving: false },
    place: { level: 'kinds', kindAt: 0, resourceAt: 0, scroll: 0 },
  };
}

/** The nodes to show. */
export const shownNodes = ({ nodes, frozen }: DashboardModel): readonly NodeModel[] => frozen ?? nodes;

/** The selected node. */
export function shownNode(model: DashboardModel): NodeModel {
  return shownNodes(model)[model.nodeAt] as NodeModel;
}

export function serviceNames({ sample }: NodeModel): readonly string[] {
  return (sample?.services ?? []).map(({ id }) => id).sort();
}

/** The kernel's log, those of the services, and the one that merges these; the kernel's last where it cannot be read. */
export function logNames(node: NodeModel): readonly string[] {
  const services = serviceNames(node);
  const ofServices = [...services, ...(services.length === 0 ? [] : [allServices])];
  const isRefused = node.logs[kernelLog]?.isRefused === true;
  return isRefused ? [...ofServices, kernelLog] : [kernelLog, ...ofServices];
}

/**
 * The kind whose resources are shown; undefined in the list of kinds, and for a kind that the node does not
 * have.
 */
export function kindOfPlace({ nodes, nodeAt, place }: DashboardModel): ResourceDefinitionSpec | undefined {
  if (place.level === 'kinds') return undefined;
  return nodes[nodeAt]?.kinds?.find(({ type }) => type === place.type);
}
