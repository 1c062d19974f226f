import type { KindRow } from '../../../protocol/messages.ts';
import { FilterField, NodeChoice } from '../../parts/fields.tsx';
import { Waiting } from '../../parts/panel.tsx';
import { linkTo, type Route, replaceWith } from '../../shell/route.ts';
import { useStore, useSubscriptions } from '../../store/use-store.ts';
import { ResourceDocument } from './resource-document.tsx';
import { ResourceList } from './resource-list.tsx';

/** All kinds of resources of a node, their resources, and one of them as YAML. */
export function ResourcesView({ route: { parts, query } }: { readonly route: Route }) {
  const { names } = useStore();
  const node = names.find((name) => name === query.get('node')) ?? names[0] ?? '';
  const other = names.find((name) => name === query.get('with') && name !== node) ?? '';
  const [type = '', id = ''] = parts;
  const text = query.get('text') ?? '';
  const store = useSubscriptions([
    ...(node === '' ? [] : [{ kind: 'kinds', node } as const]),
    ...(type === ''
      ? []
      : [node, other].filter(Boolean).map((each) => ({ kind: 'resources', node: each, type }) as const)),
  ]);
  const place = { node, with: other, text };
  const set = (change: Partial<typeof place>) => replaceWith('resources', parts, { ...place, ...change });
  const { kinds, problem } = store.feed({ kind: 'kinds', node });
  const kind = kinds?.find((each) => each.type === type);
  return (
    <div class="resources-view">
      <header class="view-head">
        <h1>Resources</h1>
        <NodeChoice names={names} node={node} onChange={(name) => set({ node: name })} />
        <FilterField
          label="Kinds"
          text={text}
          placeholder="name or alias"
          onChange={(words) => set({ text: words })}
        />
      </header>
      <div class="three-panes">
        <nav class="kinds" aria-label="Kinds of resources">
          {kinds === undefined ? (
            <Waiting problem={problem} what="the kinds" />
          ) : (
            <ul>
              {matching(kinds, text).map((each) => (
                <li key={each.type}>
                  <a
                    href={linkTo('resources', [each.type], place)}
                    aria-current={each.type === type ? 'page' : undefined}
                    title={each.type}
                  >
                    {each.name}
                    {each.isSecret && <span class="chip">secret</span>}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </nav>
        {kind === undefined ? (
          <p class="nothing">Choose a kind.</p>
        ) : (
          <ResourceList
            kind={kind}
            feed={store.feed({ kind: 'resources', node, type })}
            chosen={id}
            linkOf={(each) => linkTo('resources', [type, each], place)}
          />
        )}
        {kind !== undefined && id !== '' && (
          <ResourceDocument
            key={`${node} ${type} ${id}`}
            id={id}
            node={node}
            kept={store.feed({ kind: 'resources', node, type }).resources?.get(id)}
            others={names.filter((name) => name !== node)}
            other={other}
            otherFeed={other === '' ? undefined : store.feed({ kind: 'resources', node: other, type })}
            onOther={(name) => set({ with: name })}
          />
        )}
      </div>
    </div>
  );
}

/** Exact names and aliases first, then those that contain the text. */
function matching(kinds: readonly KindRow[], text: string): readonly KindRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return kinds;
  const names = ({ name, type, aliases }: KindRow) =>
    [name, type, ...aliases].map((each) => each.toLowerCase());
  const found = kinds.filter((kind) => names(kind).some((name) => name.includes(wanted)));
  return found.toSorted((a, b) => Number(names(b).includes(wanted)) - Number(names(a).includes(wanted)));
}
