import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  CheckAnswer,
  ConversionAnswer,
  DifferenceAnswer,
  ShownConfiguration,
  TryAnswer,
} from '../../../protocol/calls.ts';
import type { ConfigEditor as Editor } from '../../editor/config-editor.tsx';
import { type Draft, draftOf, isOutdated, rebased } from '../../store/draft.ts';
import type { Store } from '../../store/store.ts';
import { Diff } from '../resources/diff.tsx';
import { Conversion, type ConversionTarget, conversionTargets, type ShownConversion } from './conversion.tsx';
import { Findings } from './findings.tsx';

interface EditPanelProps {
  readonly store: Store;
  readonly node: string;
  /** The active configuration of the node. */
  readonly active: ShownConfiguration;
}

/** After the last key, before the text is checked. */
const checkMs = 400;
const trialSeconds = [30, 60, 120, 300, 900] as const;

/** The editor of a node's configuration: it checks while the user types, shows what would change, and lets the node try it. */
export function EditPanel({ store, node, active }: EditPanelProps) {
  const draft = draftOf(store.drafts.get(node), active);
  const [seconds, setSeconds] = useState(60);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [difference, setDifference] = useState<DifferenceAnswer & { readonly text: string }>();
  const [target, setTarget] = useState<ConversionTarget>('1.14');
  const [conversion, setConversion] = useState<ShownConversion>();
  const convertButton = useRef<HTMLButtonElement>(null);
  const ConfigEditor = useEditor();
  const check = useCheck(store, node, draft.text);
  const isChanged = draft.text !== active.text;
  const mustLook = isChanged && isOutdated(draft, active);
  const hasFaults = (check?.errors.length ?? 0) > 0;
  const trial = store.trials.find((each) => each.node === node)?.state;
  const setDraft = (next: Draft) => {
    store.drafts.set(node, next);
    store.touch();
  };
  const beginAnew = () => {
    store.drafts.delete(node);
    setDifference(undefined);
    setConversion(undefined);
    setFailure(undefined);
    store.touch();
  };
  // A second click may come before the buttons are drawn disabled.
  const isRunning = useRef(false);
  const run = async (body: () => Promise<void>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    await body().catch(({ message }: Error) => setFailure(message));
    isRunning.current = false;
    setBusy(false);
  };
  const { text } = draft;
  const compare = () =>
    run(async () => {
      const answer = await store.ask<DifferenceAnswer>('difference', { node, text });
      setDifference({ ...answer, text });
    });
  const convert = () =>
    run(async () => {
      setConversion(undefined);
      const answer = await store.ask<ConversionAnswer>('convert', { node, text, to: target });
      setConversion({ ...answer, text, to: target });
    });
  const closeConversion = () => {
    setConversion(undefined);
    // The button that had the focus is gone.
    convertButton.current?.focus();
  };
  const tryIt = () =>
    run(async () => {
      const { tried } = await store.ask<TryAnswer>('try', { node, text, over: active.version, seconds });
      // The user may have written on meanwhile.
      const now = store.drafts.get(node) ?? draft;
      setDraft({ ...now, tried: { ...tried, text } });
      setDifference(undefined);
    });
  useEffect(() => {
    if (trial === 'kept' && draft.tried?.text === text) beginAnew();
  }, [trial]);
  return (
    <div class="edit-panel">
      {mustLook && !isBusy && (
        <section class="notice" aria-label="Changed meanwhile">
          <p role="alert">
            The configuration of {node} has changed since you began. Trying your text undoes what you see
            here, unless you write it into your text.
          </p>
          <Diff before={draft.base.text} after={active.text} label="What changed meanwhile" context={2} />
          <p class="edit-actions">
            <button type="button" onClick={beginAnew}>
              Begin anew
            </button>
            <button type="button" onClick={() => setDraft(rebased(draft, active))}>
              Go on with my text
            </button>
          </p>
        </section>
      )}
      {ConfigEditor === undefined ? (
        <p class="config-editor nothing">loading the editor …</p>
      ) : (
        <ConfigEditor
          label={`Configuration of ${node}`}
          {...{
            text,
            readSchema: () => store.readSchema(),
            findings: check?.errors ?? [],
            onText: (edited) => setDraft({ ...draftOf(store.drafts.get(node), active), text: edited }),
          }}
        />
      )}
      <Findings check={check} isChanged={isChanged} />
      <div class="edit-actions">
        <button type="button" disabled={isBusy || !isChanged} onClick={compare}>
          Show what changes
        </button>
        <button type="button" ref={convertButton} disabled={isBusy || hasFaults} onClick={convert}>
          Convert
        </button>
        <label>
          to{' '}
          <select
            aria-label="Convert to"
            value={target}
            onChange={({ currentTarget }) => setTarget(currentTarget.value as ConversionTarget)}
          >
            {conversionTargets.map(({ version, form }) => (
              <option key={version} value={version}>
                {form}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={!isChanged} onClick={beginAnew}>
          Discard
        </button>
        {store.allowsActions ? (
          <>
            <button
              type="button"
              class="primary"
              disabled={isBusy || !isChanged || hasFaults || mustLook}
              onClick={tryIt}
            >
              Try it
            </button>
            <label>
              for{' '}
              <select
                value={String(seconds)}
                onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}
              >
                {trialSeconds.map((each) => (
                  <option key={each} value={String(each)}>
                    {each < 60 ? `${each} seconds` : each === 60 ? '1 minute' : `${each / 60} minutes`}
                  </option>
                ))}
              </select>
            </label>
            <p class="soft">The node goes back by itself, unless you keep it.</p>
          </>
        ) : (
          <p class="soft">
            Read only: <code>talosctl ui --allow-actions</code> lets a node try it.
          </p>
        )}
      </div>
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      {conversion !== undefined && (
        <Conversion
          conversion={conversion}
          isOld={conversion.text !== text}
          onTake={() => {
            setDraft({ ...draftOf(store.drafts.get(node), active), text: conversion.after });
            closeConversion();
          }}
          onClose={closeConversion}
        />
      )}
      {difference !== undefined && <DryRun difference={difference} isOld={difference.text !== text} />}
    </div>
  );
}

function DryRun({ difference, isOld }: { readonly difference: DifferenceAnswer; readonly isOld: boolean }) {
  const { before, after, details, warnings, refusal } = difference;
  return (
    <section class="dry-run" aria-label="What changes">
      {isOld && <p class="soft">The text has changed since.</p>}
      {refusal !== undefined && (
        <p class="problem" role="alert">
          The node would refuse it: {refusal}
        </p>
      )}
      {details !== '' && <p>{details}</p>}
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <Diff before={before} after={after} label="What changes on the node" context={3} />
    </section>
  );
}

/** The editor is a script of its own, which is loaded when it is used for the first time. */
function useEditor(): typeof Editor | undefined {
  const [editor, setEditor] = useState<{ readonly component: typeof Editor }>();
  useEffect(() => {
    import('../../editor/config-editor.tsx').then(
      ({ ConfigEditor: component }) => setEditor({ component }),
      () => {},
    );
  }, []);
  return editor?.component;
}

function useCheck(store: Store, node: string, text: string): CheckAnswer | undefined {
  const [checked, setChecked] = useState<CheckAnswer>();
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(async () => {
      const answer = await store
        .ask<CheckAnswer>('check', { node, text })
        .catch(({ message }: Error): CheckAnswer => ({ errors: [{ message }], warnings: [] }));
      if (!isOld) setChecked(answer);
    }, checkMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [store, node, text]);
  return checked;
}
