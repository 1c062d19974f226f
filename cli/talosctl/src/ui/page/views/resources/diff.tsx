import { useMemo } from 'preact/hooks';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { diffLines } from './diff-lines.ts';

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

const marks = { same: ' ', removed: '−', added: '+' } as const;

/** Two texts with what differs. */
export function Diff({ before, after, label }: DiffProps) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const count = lines.filter(({ kind }) => kind !== 'same').length;
  return (
    <>
      <p class="soft" role="status">
        {count === 0 ? 'no difference' : `${count} lines differ`}
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
