import { useEffect, useState } from 'preact/hooks';
import type { EffectAnswer, PageAction } from '../../../protocol/calls.ts';
import { type Route, replaceWith } from '../../shell/route.ts';
import type { Store } from '../../store/store.ts';
import { useSubscriptions } from '../../store/use-store.ts';
import { ActionForm } from './action-form.tsx';
import { actionOf, readChoice } from './chosen-action.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { EffectPanels } from './effect-panels.tsx';
import { StartedList } from './started-list.tsx';

/** What an action would do to the chosen nodes, before anything is sent; and, where it is allowed, the action itself. */
export function WhatIfView({ route: { query } }: { readonly route: Route }) {
  const store = useSubscriptions([]);
  const choice = readChoice(query);
  const given = (query.get('nodes') ?? '').split(',');
  const nodes = store.names.filter((name) => given.includes(name));
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('what-if', [], { ...Object.fromEntries(query), ...change });
  const action = actionOf(choice);
  const isForOne = action?.kind === 'etcd';
  const problem = missing(nodes, action, isForOne);
  const { effect, failure } = useEffectOf(store, problem === undefined ? action : undefined, nodes);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <header class="view-head">
        <h1>What if</h1>
        <p class="soft">what an action would do, before anything is sent</p>
      </header>
      <ActionForm store={store} choice={choice} nodes={nodes} onChange={set} />
      {problem !== undefined && <p class="nothing">{problem}</p>}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      {problem === undefined && failure === undefined && effect === undefined && (
        <p class="nothing" role="status">
          asking {nodes.join(', ')} …
        </p>
      )}
      {effect !== undefined && problem === undefined && (
        <>
          <EffectPanels effect={effect} />
          <p class="edit-actions">
            {store.allowsActions ? (
              <button type="button" class="danger" onClick={() => setAsking(true)}>
                Do it …
              </button>
            ) : (
              <span class="soft">
                Nothing is sent. Read only: <code>talosctl ui --allow-actions</code> can do it.
              </span>
            )}
          </p>
        </>
      )}
      {isAsking && effect !== undefined && action !== undefined && (
        <ConfirmDialog {...{ store, effect, action, nodes }} onClose={() => setAsking(false)} />
      )}
      <StartedList store={store} />
    </>
  );
}

function missing(
  nodes: readonly string[],
  action: PageAction | undefined,
  isForOne: boolean,
): string | undefined {
  if (nodes.length === 0) return 'Choose the nodes.';
  if (action === undefined) return 'Choose what the action is about.';
  return isForOne && nodes.length > 1 ? 'Actions of etcd work on one node: choose one.' : undefined;
}

/** Between two changes of the choice, before the nodes are asked. */
const gatherMs = 250;

interface Found {
  /** The choice that it is about. */
  readonly key: string;
  readonly effect?: EffectAnswer;
  readonly failure?: string;
}

function useEffectOf(store: Store, action: PageAction | undefined, nodes: readonly string[]): Found {
  const [found, setFound] = useState<Found>();
  const key = action === undefined ? '' : JSON.stringify({ action, nodes });
  useEffect(() => {
    if (key === '') return undefined;
    let isOld = false;
    const timer = setTimeout(async () => {
      try {
        const effect = await store.ask<EffectAnswer>('effect', JSON.parse(key) as object);
        if (!isOld) setFound({ key, effect });
      } catch (error) {
        if (!isOld) setFound({ key, failure: (error as Error).message });
      }
    }, gatherMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [store, key]);
  return found?.key === key ? found : { key };
}
