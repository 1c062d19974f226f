import { useEffect, useRef, useState } from 'preact/hooks';
import type { EffectAnswer, PageAction } from '../../../protocol/calls.ts';
import type { Store } from '../../store/store.ts';
import { EffectLines } from './effect-panels.tsx';

interface ConfirmDialogProps {
  readonly store: Store;
  readonly effect: EffectAnswer;
  readonly action: PageAction;
  readonly nodes: readonly string[];
  readonly onClose: () => void;
}

/** The question of the command line. Nothing but the button with the answer starts the action. */
export function ConfirmDialog({ store, effect, action, nodes, onClose }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
  const { lines, question, typed: expected } = effect;
  const confirm = async (event: Event) => {
    event.preventDefault();
    try {
      await store.ask('act', { action, nodes, typed });
      dialog.current?.close();
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <dialog ref={dialog} class="confirm" onClose={onClose} aria-labelledby="confirm-title">
      <form onSubmit={confirm}>
        <h2 id="confirm-title">Confirm</h2>
        <EffectLines lines={lines} />
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
        {failure !== undefined && (
          <p class="problem" role="alert">
            {failure}
          </p>
        )}
        <p class="edit-actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            No
          </button>
          <button type="submit" class="danger" disabled={expected !== undefined && typed !== expected}>
            Yes
          </button>
        </p>
      </form>
    </dialog>
  );
}
