import type { Condition } from '../../judge/condition.ts';
import { clockText } from '../../parts/figures.ts';
import { Panel } from '../../parts/panel.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';
import type { Store } from '../../store/store.ts';

const conditions = { running: 'unknown', done: 'good', failed: 'bad' } as const satisfies Record<
  string,
  Condition
>;

/** The actions that pages of this program have started, the newest first. */
export function StartedList({ store: { actions } }: { readonly store: Store }) {
  if (actions.length === 0) return null;
  return (
    <Panel title="Started here">
      <div role="log" aria-label="Started actions">
        <ul class="started">
          {actions.map(({ id, name, startedMs, nodes }) => (
            <li key={id}>
              <p>
                <time>{clockText(startedMs)}</time> <strong>{name}</strong>
              </p>
              <ul>
                {nodes.map(({ node, state, message, actor }) => (
                  <li key={node}>
                    <StateDot condition={conditions[state]} title={state} />{' '}
                    <a href={linkTo('node', [node])}>{node}</a>{' '}
                    <span class={state === 'failed' ? 'bad-text' : ''}>{message}</span>
                    {actor !== undefined && (
                      <>
                        {' '}
                        <a href={linkTo('events', [], { actor })}>its events</a>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
