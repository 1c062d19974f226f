import { NodeChoice } from '../../parts/fields.tsx';
import { Waiting } from '../../parts/panel.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { type Route, replaceWith } from '../../shell/route.ts';
import { useStore, useSubscriptions } from '../../store/use-store.ts';
import { Diff } from '../resources/diff.tsx';
import { Drift } from './drift.tsx';
import { EditPanel } from './edit-panel.tsx';

/** The machine configuration of a node, where other nodes differ from it, and an editor. */
export function ConfigurationView({ route: { query } }: { readonly route: Route }) {
  const { names } = useStore();
  const node = names.find((name) => name === query.get('node')) ?? names[0] ?? '';
  const other = names.find((name) => name === query.get('with') && name !== node) ?? '';
  const isEditing = query.has('edit');
  const store = useSubscriptions(names.map((name) => ({ kind: 'configuration', node: name })));
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('configuration', [], { node, with: other, edit: isEditing ? '1' : '', ...change });
  const { configuration, problem } = store.feed({ kind: 'configuration', node });
  const theirs = other === '' ? undefined : store.feed({ kind: 'configuration', node: other });
  return (
    <>
      <header class="view-head">
        <h1>Configuration</h1>
        <NodeChoice names={names} node={node} onChange={(name) => set({ node: name })} />
        {!isEditing && (
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
        )}
        <button type="button" aria-pressed={isEditing} onClick={() => set({ edit: isEditing ? '' : '1' })}>
          {isEditing ? 'Stop editing' : 'Edit'}
        </button>
        <p class="soft">secrets are hidden: equal marks are equal values</p>
      </header>
      {configuration !== undefined && problem !== undefined && (
        <p class="problem" role="alert">
          {problem}. What you see is what was known before.
        </p>
      )}
      {!isEditing && <Drift store={store} node={node} onChoose={(name) => set({ with: name })} />}
      {configuration === undefined ? (
        <Waiting problem={problem} what="the configuration" />
      ) : isEditing ? (
        <EditPanel key={node} store={store} node={node} active={configuration} />
      ) : theirs?.configuration !== undefined ? (
        <Diff
          before={theirs.configuration.text}
          after={configuration.text}
          label={`Difference between ${other} and ${node}`}
        />
      ) : (
        <>
          {theirs?.problem !== undefined && <p class="problem">{theirs.problem}</p>}
          <ScrollRegion label="YAML" class="document">
            <pre>{configuration.text}</pre>
          </ScrollRegion>
        </>
      )}
    </>
  );
}
