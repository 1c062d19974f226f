import { useMemo } from 'preact/hooks';
import type { Store } from '../../store/store.ts';
import { diffLines } from '../resources/diff-lines.ts';

interface DriftProps {
  readonly store: Store;
  readonly node: string;
  readonly onChoose: (name: string) => void;
}

/** Which nodes have another configuration than this one. Nodes of another role always have. */
export function Drift({ store, node, onChoose }: DriftProps) {
  const own = store.feed({ kind: 'configuration', node }).configuration?.text;
  const role = store.summaries.get(node)?.role;
  const peers = store.names.filter((name) => name !== node && store.summaries.get(name)?.role === role);
  const known = peers.flatMap((name) => {
    const theirs = store.feed({ kind: 'configuration', node: name }).configuration?.text;
    return own === undefined || theirs === undefined ? [] : [{ name, own, theirs }];
  });
  if (known.length === 0) return null;
  const different = known.filter(({ theirs }) => theirs !== own);
  return (
    <p class="drift">
      {different.length === 0 ? (
        `All ${known.length + 1} nodes of this role have the same configuration.`
      ) : (
        <>
          Nodes of this role with another configuration:{' '}
          {different.map((each) => (
            <DriftButton key={each.name} {...each} onChoose={onChoose} />
          ))}
        </>
      )}
    </p>
  );
}

interface DriftButtonProps {
  readonly name: string;
  readonly own: string;
  readonly theirs: string;
  readonly onChoose: (name: string) => void;
}

function DriftButton({ name, own, theirs, onChoose }: DriftButtonProps) {
  const count = useMemo(() => differingLines(own, theirs), [own, theirs]);
  return (
    <button type="button" onClick={() => onChoose(name)}>
      {name} <span class="soft">{count === 1 ? '1 line' : `${count} lines`}</span>
    </button>
  );
}

/** A line that changed counts once, not as a removed and an added one. */
function differingLines(before: string, after: string): number {
  const lines = diffLines(before, after);
  const of = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length;
  return Math.max(of('added'), of('removed'));
}
