import { useState } from 'preact/hooks';
import type { PageAction } from '../../../protocol/calls.ts';
import { type Route, replaceWith } from '../../shell/route.ts';
import { useJudgement, useSubscriptions } from '../../store/use-store.ts';
import { ActionForm } from './action-form.tsx';
import { actionOf, readChoice } from './chosen-action.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { EffectPanels } from './effect-panels.tsx';
import { StartedList } from './started-list.tsx';
import { useEffectOf } from './use-effect-of.ts';

/** What an action would do to the chosen nodes, before anything is sent; and, where it is allowed, the action itself. */
export function WhatIfView({ route: { query } }: { readonly route: Route }) {
  const store = useSubscriptions([]);
  const { etcd, nodes: judged, number } = useJudgement();
  const choice = readChoice(query);
  const given = (query.get('nodes') ?? '').split(',');
  const nodes = store.names.filter((name) => given.includes(name));
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('what-if', [], { ...Object.fromEntries(query), ...change });
  const action = actionOf(choice);
  const isForOne = action?.kind === 'etcd';
  const problem = missing(nodes, action, isForOne);
  const found = useEffectOf(store, problem === undefined ? action : undefined, nodes);
  const { key, effect, failure, isCurrent, askAgain } = found;
  /** The choice that the open question is about. */
  const [asked, setAsked] = useState<string>();
  const open = () => {
    // What is shown may be minutes old.
    askAgain();
    setAsked(key);
  };
  return (
    <>
      <header class="view-head">
        <h1>What if</h1>
        <p class="soft">what an action would do, before anything is sent</p>
      </header>
      <ActionForm {...{ store, choice, nodes, judged, etcd, number }} onChange={set} />
      {problem !== undefined && <p class="nothing">{problem}</p>}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      {problem === undefined && !isCurrent && (
        <p class="nothing" role="status">
          {effect === undefined ? '' : 'What follows may be outdated: '}asking {nodes.join(', ')} …
        </p>
      )}
      {effect !== undefined && problem === undefined && (
        <>
          <EffectPanels effect={effect} etcd={etcd} />
          <p class="edit-actions">
            {store.allowsActions ? (
              <button type="button" class="danger" onClick={open}>
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
      {asked === key && key !== '' && action !== undefined && (
        <ConfirmDialog {...{ store, found, action, nodes }} onClose={() => setAsked(undefined)} />
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
