import { useMemo } from 'preact/hooks';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { diffLines, nearChanges } from './diff-lines.ts';

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
  /** How many unchanged lines are shown around a change; all of them by default. */
  readonly context?: number;
}

const marks = { same: ' ', removed: '−', added: '+', left: '…' } as const;

/** Two texts with what differs. */
export function Diff({ before, after, label, context }: DiffProps) {
  const all = useMemo(() => diffLines(before, after), [before, after]);
  const lines = useMemo(() => (context === undefined ? all : nearChanges(all, context)), [all, context]);
  const count = all.filter(({ kind }) => kind !== 'same').length;
  return (
    <>
      <p class="soft" role="status">
        {count === 0 ? 'no difference' : count === 1 ? '1 line differs' : `${count} lines differ`}
      </p>
      <ScrollRegion label={label} class="document diff">
        <pre>
          {lines.map(({ kind, text }, at) => (
            <span key={at} class={kind}>
              {marks[kind]} {text}
              {'\n'}
            </span>
          ))}
        </pre>
      </ScrollRegion>
    </>
  );
}
