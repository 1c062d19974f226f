import { useMemo } from 'preact/hooks';
import type { ControllerFailure, GraphEdge } from '../../protocol/messages.ts';
import { FilterField, NodeChoice } from '../parts/fields.tsx';
import { Waiting } from '../parts/panel.tsx';
import { linkTo, type Route, replaceWith } from '../shell/route.ts';
import { useNow, useStore, useSubscriptions } from '../store/use-store.ts';

const isOutput = ({ kind }: GraphEdge) => kind === 'output' || kind === 'shared output';
const shortName = (type: string) => type.split('.', 1)[0] ?? type;

/** How late the next failure may arrive. */
const lateMs = 5000;

/** A controller fails until the pause after its last failure is over and no further failure has arrived. */
function failingNow(
  failures: ReadonlyMap<string, ControllerFailure> | undefined,
  now: number,
): ReadonlyMap<string, ControllerFailure> {
  return new Map([...(failures ?? [])].filter(([, { atMs, retryMs }]) => atMs + retryMs + lateMs > now));
}

/** Which controllers of a node read and write which kinds: what a controller or a kind depends on, and what depends on it. */
export function ControllersView({ route: { parts, query } }: { readonly route: Route }) {
  const { names } = useStore();
  const node = names.find((name) => name === query.get('node')) ?? names[0] ?? '';
  const text = query.get('text') ?? '';
  const [chosen = ''] = parts;
  const store = useSubscriptions(
    node === ''
      ? []
      : [
          { kind: 'graph', node },
          { kind: 'failures', node },
        ],
  );
  const now = useNow();
  const failing = failingNow(store.feed({ kind: 'failures', node }).failures, now);
  const { graph, problem } = store.feed({ kind: 'graph', node });
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('controllers', parts, { node, text, ...change });
  const placeOf = (name: string) => linkTo('controllers', [name], { node, text });
  return (
    <div class="resources-view">
      <header class="view-head">
        <h1>Controllers</h1>
        <NodeChoice names={names} node={node} onChange={(name) => set({ node: name })} />
        <FilterField text={text} onChange={(words) => set({ text: words })} />
        <p class={failing.size === 0 ? 'soft' : 'bad-text'} role="status">
          {failing.size === 0
            ? 'no controller fails'
            : failing.size === 1
              ? '1 controller fails'
              : `${failing.size} controllers fail`}
        </p>
      </header>
      {graph === undefined ? (
        <Waiting problem={problem} what="the graph" />
      ) : (
        <div class="two-panes">
          <Names graph={graph} text={text} chosen={chosen} placeOf={placeOf} failing={failing} />
          <Neighbours graph={graph} chosen={chosen} placeOf={placeOf} failing={failing} />
        </div>
      )}
    </div>
  );
}

interface GraphProps {
  readonly graph: readonly GraphEdge[];
  readonly chosen: string;
  readonly placeOf: (name: string) => string;
  /** The controllers that fail. */
  readonly failing: ReadonlyMap<string, ControllerFailure>;
}

function Names({ graph, text, chosen, placeOf, failing }: GraphProps & { readonly text: string }) {
  const wanted = text.toLowerCase();
  const [controllers, kinds] = useMemo(() => {
    const sorted = (names: readonly string[]) =>
      [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted)).sort();
    return [sorted(graph.map(({ controller }) => controller)), sorted(graph.map(({ resource }) => resource))];
  }, [graph, wanted]);
  const list = (title: string, names: readonly string[], show: (name: string) => string) => (
    <>
      <h2>
        {title} <span class="soft">{names.length}</span>
      </h2>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <a
              href={placeOf(name)}
              title={name}
              class={failing.has(name) ? 'bad-text' : ''}
              aria-current={name === chosen ? 'page' : undefined}
            >
              {show(name)}
              {failing.has(name) && ' fails'}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
  return (
    <nav class="kinds" aria-label="Controllers and kinds">
      {list('Controllers', controllers, (name) => name)}
      {list('Kinds', kinds, shortName)}
    </nav>
  );
}

function Neighbours({ graph, chosen, placeOf, failing }: GraphProps) {
  const own = graph.filter(({ controller, resource }) => controller === chosen || resource === chosen);
  if (own.length === 0) return <p class="nothing">Choose a controller or a kind.</p>;
  const isController = own[0]?.controller === chosen;
  const far = (edge: GraphEdge) => (isController ? edge.resource : edge.controller);
  // What flows in: the inputs of a controller, and the controllers that write a kind.
  const incoming = own.filter((edge) => isOutput(edge) !== isController);
  const outgoing = own.filter((edge) => isOutput(edge) === isController);
  const list = (title: string, edges: readonly GraphEdge[]) => (
    <section aria-label={title}>
      <h2>{title}</h2>
      {edges.length === 0 && <p class="nothing">none</p>}
      <ul>
        {edges.map((edge) => (
          <li key={far(edge) + edge.kind}>
            <a href={placeOf(far(edge))} title={far(edge)} class={failing.has(far(edge)) ? 'bad-text' : ''}>
              {isController ? shortName(far(edge)) : far(edge)}
            </a>
            <span class="soft">{edge.kind}</span>
          </li>
        ))}
      </ul>
    </section>
  );
  return (
    <div class="neighbours">
      {list(isController ? 'Reads' : 'Written by', incoming)}
      <section class="chosen-node" aria-label="Chosen">
        <h2>{isController ? 'Controller' : 'Kind'}</h2>
        <p>
          <strong>{isController ? chosen : shortName(chosen)}</strong>
        </p>
        {failing.has(chosen) && <p class="bad-text">fails: {failing.get(chosen)?.message}</p>}
        {!isController && <a href={linkTo('resources', [chosen])}>its resources</a>}
      </section>
      {list(isController ? 'Writes' : 'Read by', outgoing)}
    </div>
  );
}
