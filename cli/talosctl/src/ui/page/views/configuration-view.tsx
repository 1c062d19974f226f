import { Waiting } from '../parts/panel.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { type Route, replaceWith } from '../shell/route.ts';
import type { Store } from '../store/store.ts';
import { useStore, useSubscriptions } from '../store/use-store.ts';
import { Diff } from './resources/diff.tsx';

/** The machine configuration of a node, and where other nodes differ from it. */
export function ConfigurationView({ route: { query } }: { readonly route: Route }) {
  const { names } = useStore();
  const node = names.find((name) => name === query.get('node')) ?? names[0] ?? '';
  const other = names.find((name) => name === query.get('with') && name !== node) ?? '';
  const store = useSubscriptions(names.map((name) => ({ kind: 'configuration', node: name })));
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('configuration', [], { node, with: other, ...change });
  const { configuration, problem } = store.feed({ kind: 'configuration', node });
  const theirs = other === '' ? undefined : store.feed({ kind: 'configuration', node: other });
  return (
    <>
      <header class="view-head">
        <h1>Configuration</h1>
        <label>
          Node{' '}
          <select value={node} onChange={({ currentTarget }) => set({ node: currentTarget.value })}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Compare with{' '}
          <select value={other} onChange={({ currentTarget }) => set({ with: currentTarget.value })}>
            <option value="">–</option>
            {names
              .filter((name) => name !== node)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        <p class="soft">without secrets, as a support archive has it</p>
      </header>
      <Drift store={store} node={node} onChoose={(name) => set({ with: name })} />
      {configuration === undefined ? (
        <Waiting problem={problem} what="the configuration" />
      ) : theirs?.configuration !== undefined ? (
        <Diff
          before={theirs.configuration}
          after={configuration}
          label={`Difference between ${other} and ${node}`}
        />
      ) : (
        <>
          {theirs?.problem !== undefined && <p class="problem">{theirs.problem}</p>}
          <ScrollRegion label="YAML" class="document">
            <pre>{configuration}</pre>
          </ScrollRegion>
        </>
      )}
    </>
  );
}

interface DriftProps {
  readonly store: Store;
  readonly node: string;
  readonly onChoose: (name: string) => void;
}

/** Which nodes have another configuration than this one. Nodes of another role always have. */
function Drift({ store, node, onChoose }: DriftProps) {
  const own = store.feed({ kind: 'configuration', node }).configuration;
  const role = store.summaries.get(node)?.role;
  const peers = store.names.filter((name) => name !== node && store.summaries.get(name)?.role === role);
  const known = peers.flatMap((name) => {
    const { configuration } = store.feed({ kind: 'configuration', node: name });
    return own === undefined || configuration === undefined ? [] : [{ name, isSame: configuration === own }];
  });
  if (known.length === 0) return null;
  const different = known.filter(({ isSame }) => !isSame);
  return (
    <p class="drift">
      {different.length === 0 ? (
        `All ${known.length + 1} nodes of this role have the same configuration.`
      ) : (
        <>
          Nodes of this role with another configuration:{' '}
          {different.map(({ name }) => (
            <button key={name} type="button" onClick={() => onChoose(name)}>
              {name}
            </button>
          ))}
        </>
      )}
    </p>
  );
}
