import type { PlannedAction } from '@nodewright/client/what-if';
import type { ResourceDefinitionSpec } from '@nodewright/state';
import { type EtcdSample, withEtcdSample } from './etcd.ts';
import { type EventLine, withEvents } from './event-log.ts';
import type { Facts } from './facts.ts';
import { allServices, emptyLog, kernelLog, withLines } from './log.ts';
import type { DashboardModel, ListedKind, NodeModel } from './model.ts';
import type { StartedAction } from './overlay.ts';
import { cpuUsage, memoryShare, networkRates, type Sample } from './sample.ts';

/** What the connections to the nodes report to the dashboard. */
export type NodeEvent =
  | { readonly kind: 'sampled'; readonly sample: Sample }
  | {
      readonly kind: 'lost';
      readonly message: string;
      readonly hop: string | undefined;
      readonly atMs: number;
      /** When the next sample is taken. */
      readonly retryMs?: number;
    }
  | { readonly kind: 'facts'; readonly facts: Partial<Facts> }
  /** The log starts again from its beginning. */
  | { readonly kind: 'log-opened'; readonly log: string }
  | {
      readonly kind: 'log-lines';
      readonly log: string;
      readonly lines: readonly string[];
      /** How many lines about requests of this dashboard were left out. */
      readonly ownCount?: number;
      readonly atMs: number;
    }
  | {
      readonly kind: 'log-problem';
      readonly log: string;
      readonly message: string;
      /** The node does not have the log, or does not let the caller read it: a retry is useless. */
      readonly isFinal?: boolean;
    }
  | { readonly kind: 'happened'; readonly events: readonly EventLine[] }
  | { readonly kind: 'etcd-sampled'; readonly sample: EtcdSample }
  | { readonly kind: 'etcd-problem'; readonly message: string }
  /** What the action in question would do. */
  | { readonly kind: 'effect'; readonly planned: PlannedAction; readonly lines: readonly string[] }
  | ({ readonly kind: 'action-step'; readonly atMs: number } & Pick<
      StartedAction,
      'serial' | 'state' | 'message'
    >)
  | { readonly kind: 'kinds'; readonly kinds: readonly ResourceDefinitionSpec[] }
  | { readonly kind: 'listed'; readonly listed: ListedKind | undefined }
  | { readonly kind: 'browse-problem'; readonly message: string };

/** The model after an event of a node. */
export function afterNodeEvent(model: DashboardModel, name: string, event: NodeEvent): DashboardModel {
  if (event.kind === 'effect') return withEffect(model, name, event.planned, event.lines);
  const nodes = model.nodes.map((node) => (node.name === name ? changedNode(node, event) : node));
  return { ...model, nodes, log: firstLog(model, name, event) };
}

/** Where the selected node has no log of its kernel for the caller, the logs of its services are shown instead. */
function firstLog(model: DashboardModel, name: string, event: NodeEvent): string {
  const isRefused = event.kind === 'log-problem' && event.log === kernelLog && event.isFinal === true;
  const isShown = model.log === kernelLog && model.nodes[model.nodeAt]?.name === name;
  return isRefused && isShown && !model.isLogChosen ? allServices : model.log;
}

/** The effect is shown only when the same question is still open. */
function withEffect(
  model: DashboardModel,
  name: string,
  planned: PlannedAction,
  lines: readonly string[],
): DashboardModel {
  const { overlay } = model;
  const isAsked = overlay?.kind === 'question' && overlay.node === name && isSame(overlay.planned, planned);
  return isAsked ? { ...model, overlay: { ...overlay, lines } } : model;
}

const isSame = (one: PlannedAction, other: PlannedAction): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function changedNode(node: NodeModel, event: Exclude<NodeEvent, { readonly kind: 'effect' }>): NodeModel {
  switch (event.kind) {
    case 'sampled':
      return sampledNode(node, event.sample);
    case 'lost': {
      const { message, hop, atMs } = event;
      const sinceMs = node.reach.kind === 'away' ? node.reach.sinceMs : atMs;
      return { ...node, reach: { kind: 'away', message, hop, sinceMs } };
    }
    case 'facts':
      return { ...node, facts: { ...node.facts, ...event.facts } };
    case 'log-opened':
      return withLog(node, event.log, () => emptyLog);
    case 'log-lines':
      return withLog(node, event.log, (log) => ({
        ...withLines(log, event.log, event.lines, event.atMs),
        ownCount: log.ownCount + (event.ownCount ?? 0),
      }));
    case 'log-problem':
      return withLog(node, event.log, (log) => ({
        ...log,
        problem: event.message,
        isRefused: event.isFinal === true,
      }));
    case 'happened':
      return withEvents(node, event.events);
    case 'etcd-sampled':
      return { ...node, etcd: withEtcdSample(node.etcd, event.sample) };
    case 'etcd-problem':
      return { ...node, etcd: { ...node.etcd, problem: event.message } };
    case 'action-step': {
      const { serial, state, message, atMs } = event;
      if (node.action?.serial !== serial) return node;
      return { ...node, action: { ...node.action, state, message, atMs } };
    }
    case 'kinds':
      return { ...node, kinds: event.kinds, browseProblem: undefined };
    case 'listed':
      return { ...node, listed: event.listed, browseProblem: undefined };
    case 'browse-problem':
      return { ...node, browseProblem: event.message };
  }
}

function withLog(
  node: NodeModel,
  name: string,
  change: (log: NodeModel['logs'][string]) => NodeModel['logs'][string],
): NodeModel {
  return { ...node, logs: { ...node.logs, [name]: change(node.logs[name] ?? emptyLog) } };
}

const keptSamples = 400;
const leastPassedMs = 150;

function sampledNode(node: NodeModel, sample: Sample): NodeModel {
  // Subscriptions that are read once, or for one node only, are not dropped.
  const whole = { ...sample, cpus: sample.cpus ?? node.sample?.cpus };
  const last = node.reach.kind === 'here' ? node.sample : undefined;
  // Two samples in quick succession, as when the user switches nodes, would give meaningless rates.
  if (last !== undefined && sample.elapsedMs - last.elapsedMs < leastPassedMs) {
    return { ...node, sample: { ...whole, ...definedParts(last) } };
  }
  const before = last;
  const cpu = cpuUsage(whole.system?.cpuTotal, before?.system?.cpuTotal)?.total;
  const memory = memoryShare(whole.memory);
  const rates = before?.network === undefined ? [] : networkRates(whole, before);
  const sum = (values: readonly (number | undefined)[]) =>
    values.length === 0 ? undefined : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const { history } = node;
  return {
    ...node,
    reach: { kind: 'here' },
    sample: whole,
    before,
    history: {
      cpu: appended(history.cpu, cpu),
      memory: appended(history.memory, memory),
      received: appended(history.received, sum(rates.map(({ inRate }) => inRate))),
      sent: appended(history.sent, sum(rates.map(({ outRate }) => outRate))),
      elapsedMs: appended(history.elapsedMs, whole.elapsedMs),
    },
  };
}

const appended = (values: readonly number[], value: number | undefined): readonly number[] =>
  value === undefined ? values : [...values, value].slice(-keptSamples);

const definedParts = (sample: Sample): Sample =>
  Object.fromEntries(Object.entries(sample).filter(([, part]) => part !== undefined)) as unknown as Sample;
