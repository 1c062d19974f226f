import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageAction } from '../../../protocol/calls.ts';
import type { Store } from '../../store/store.ts';
import { EffectLines } from './effect-panels.tsx';
import type { FoundEffect } from './use-effect-of.ts';

interface ConfirmDialogProps {
  readonly store: Store;
  readonly found: FoundEffect;
  readonly action: PageAction;
  readonly nodes: readonly string[];
  readonly onClose: () => void;
}

/**
 * The question of the command line. Nothing but the button with the answer starts the action, once, and only while the effect above it is
 * what the nodes say now.
 */
export function ConfirmDialog({ store, found, action, nodes, onClose }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
  const { effect, isCurrent } = found;
  const { lines = [], question = '', typed: expected } = effect ?? {};
  // A second click may come before the button is drawn disabled.
  const wasSent = useRef(false);
  const mayAct = isCurrent && effect !== undefined && (expected === undefined || typed === expected);
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (!mayAct || wasSent.current) return;
    wasSent.current = true;
    try {
      await store.ask('act', { action, nodes, typed });
      dialog.current?.close();
    } catch (error) {
      // The request may have arrived although its answer did not.
      setFailure((error as Error).message);
    }
  };
  return (
    <dialog ref={dialog} class="confirm" onClose={onClose} aria-labelledby="confirm-title">
      <form onSubmit={confirm}>
        <h2 id="confirm-title">Confirm</h2>
        {isCurrent ? (
          <EffectLines lines={lines} />
        ) : (
          <p class="soft" role="status">
            asking {nodes.join(', ')} what would happen now …
          </p>
        )}
        {expected === undefined ? (
          <p>{question.replace(' (y/N)', '')}</p>
        ) : (
          <label>
            {question}{' '}
            <input
              type="text"
              autocomplete="off"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
        )}
        {(failure ?? found.failure) !== undefined && (
          <p class="problem" role="alert">
            {failure ?? found.failure}
          </p>
        )}
        <p class="edit-actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {failure === undefined ? 'No' : 'Close'}
          </button>
          <button type="submit" class="danger" disabled={!mayAct || failure !== undefined}>
            Yes
          </button>
        </p>
      </form>
    </dialog>
  );
}
