import type { ShownConfiguration } from '../../protocol/calls.ts';
import type {
  ControllerFailure,
  EventEntry,
  FeedEvent,
  GraphEdge,
  KindRow,
  KubernetesState,
  NodeDetail,
  ResourceRow,
} from '../../protocol/messages.ts';

type Of<Kind extends FeedEvent['kind']> = Extract<FeedEvent, { kind: Kind }>;

/** Rates of a node while its page is open, in bytes per second. The first sample has none. */
export interface RatePoint {
  readonly atMs: number;
  readonly received?: number | undefined;
  readonly sent?: number | undefined;
  readonly read?: number | undefined;
  readonly written?: number | undefined;
}

/** A resource with its earlier versions, oldest first. */
export interface KeptResource {
  readonly now: ResourceRow;
  readonly earlier: readonly ResourceRow[];
  readonly isGone: boolean;
}

/** What one subscription has brought so far. */
export interface FeedState {
  readonly detail?: NodeDetail;
  readonly rates: readonly RatePoint[];
  readonly facts: Of<'facts'>['facts'];
  readonly storage?: Of<'storage'>;
  readonly sockets?: Of<'sockets'>;
  readonly events: readonly EventEntry[];
  readonly kinds?: readonly KindRow[];
  readonly resources?: ReadonlyMap<string, KeptResource>;
  readonly graph?: readonly GraphEdge[];
  readonly configuration?: ShownConfiguration;
  readonly kubernetes?: KubernetesState;
  readonly containers?: Of<'containers'>;
  /** The last failure of each controller. */
  readonly failures?: ReadonlyMap<string, ControllerFailure>;
  /** Why nothing arrives at the moment. */
  readonly problem?: string;
}

export const emptyFeed: FeedState = { rates: [], facts: {}, events: [] };

const keptEvents = 5000;
const keptRates = 300;
const keptVersions = 20;

/** The state after an event. Lines of logs are kept by the view of logs. */
export function afterFeedEvent(state: FeedState, event: FeedEvent): FeedState {
  switch (event.kind) {
    case 'detail':
      return { ...withoutProblem(state), detail: event.detail, rates: withRates(state.rates, event.detail) };
    case 'facts':
      return { ...state, facts: withFacts(state.facts, event) };
    case 'storage':
      return { ...state, storage: event };
    case 'sockets':
      return { ...withoutProblem(state), sockets: event };
    case 'events':
      return { ...withoutProblem(state), events: withEvents(state.events, event.events) };
    case 'kinds':
      return { ...withoutProblem(state), kinds: event.kinds };
    case 'resources':
      return { ...withoutProblem(state), resources: withResources(state.resources, event) };
    case 'graph':
      return { ...withoutProblem(state), graph: event.edges };
    case 'configuration':
      return { ...withoutProblem(state), configuration: event.configuration };
    case 'kubernetes':
      return { ...withoutProblem(state), kubernetes: event.state };
    case 'containers':
      return { ...withoutProblem(state), containers: event };
    case 'failures': {
      const last = event.failures.map((failure) => [failure.controller, failure] as const);
      return { ...withoutProblem(state), failures: new Map([...(state.failures ?? []), ...last]) };
    }
    case 'problem':
      return { ...state, problem: event.message };
    case 'log-opened':
    case 'log-lines':
      return withoutProblem(state);
  }
}

function withoutProblem({ problem: _, ...state }: FeedState): FeedState {
  return state;
}

function withFacts(known: FeedState['facts'], { facts, gone }: Of<'facts'>): FeedState['facts'] {
  const kept = Object.entries(known).filter(([name]) => !gone.some((each) => each === name));
  return { ...Object.fromEntries(kept), ...facts };
}

function withRates(rates: readonly RatePoint[], { atMs, network, disks }: NodeDetail): readonly RatePoint[] {
  const sum = (rows: NodeDetail['network'], of: 'inRate' | 'outRate') => {
    const known = rows.flatMap((row) => row[of] ?? []);
    return known.length === 0 ? undefined : known.reduce((total, rate) => total + rate, 0);
  };
  const point = {
    atMs,
    ...{ received: sum(network, 'inRate'), sent: sum(network, 'outRate') },
    ...{ read: sum(disks, 'inRate'), written: sum(disks, 'outRate') },
  };
  return [...rates, point].slice(-keptRates);
}

/** An event may arrive twice when a stream begins again. */
function withEvents(known: readonly EventEntry[], added: readonly EventEntry[]): readonly EventEntry[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...added.filter(({ id }) => !ids.has(id))].slice(-keptEvents);
}

function withResources(
  known: ReadonlyMap<string, KeptResource> | undefined,
  { changed, gone, isWhole }: Of<'resources'>,
): ReadonlyMap<string, KeptResource> {
  const resources = new Map(known);
  const goneNow = isWhole
    ? [...resources.keys()].filter((id) => !changed.some((each) => each.id === id))
    : gone;
  for (const id of goneNow) {
    const kept = resources.get(id);
    if (kept !== undefined) resources.set(id, { ...kept, isGone: true });
  }
  for (const now of changed) {
    const kept = resources.get(now.id);
    const isNew = kept === undefined || kept.now.version === now.version;
    const earlier = isNew ? (kept?.earlier ?? []) : [...kept.earlier, kept.now].slice(-keptVersions);
    resources.set(now.id, { now, earlier, isGone: false });
  }
  return resources;
}
