import { useState } from 'preact/hooks';
import type { Store } from '../store/store.ts';
import { useNow } from '../store/use-store.ts';

type ShownTrial = Store['trials'][number];

/** The configurations that nodes try, in every view: time runs out everywhere. */
export function TrialNotices({ store }: { readonly store: Store }) {
  if (store.trials.length === 0) return null;
  return (
    <section class="trials" aria-label="Configurations on trial">
      {store.trials.map((trial) => (
        <TrialNotice key={trial.node} store={store} trial={trial} />
      ))}
    </section>
  );
}

const texts: Readonly<Record<ShownTrial['state'], string>> = {
  tried: 'tries a configuration, and goes back to its earlier one',
  keeping: 'is asked to keep the configuration',
  kept: 'keeps the configuration',
  reverting: 'goes back to its earlier configuration',
  reverted: 'has its earlier configuration again',
  replaced: 'has another configuration now: somebody else has changed it',
  unknown: 'should have its earlier configuration again, but this is not known',
};

function TrialNotice({ store, trial }: { readonly store: Store; readonly trial: ShownTrial }) {
  useNow();
  const [failure, setFailure] = useState<string>();
  const { node, state, problem, leftMs, atMs } = trial;
  const seconds = Math.max(0, Math.ceil((leftMs - (performance.now() - atMs)) / 1000));
  const send = (name: string) => {
    setFailure(undefined);
    store.ask(name, { node }).catch(({ message }: Error) => setFailure(message));
  };
  const isOver = !['tried', 'keeping', 'reverting'].includes(state);
  return (
    <div class={`trial ${state}`}>
      <p>
        <span role="status">
          <strong>{node}</strong> {texts[state]}
        </span>
        {state === 'tried' && (
          <>
            {' '}
            in <span class="countdown">{seconds} s</span>
          </>
        )}
        {(failure ?? problem) !== undefined && <span class="bad-text"> {failure ?? problem}</span>}
      </p>
      {state === 'tried' && (
        <button type="button" class="primary" onClick={() => send('keep')}>
          Keep it
        </button>
      )}
      {isOver && (
        <button type="button" onClick={() => send('forget')}>
          Dismiss
        </button>
      )}
    </div>
  );
}
