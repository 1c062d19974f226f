import type { NodeSummary } from '../../protocol/messages.ts';

export type Condition = 'good' | 'warning' | 'bad' | 'unknown';

const words: Readonly<Record<Condition, string>> = {
  ...{ good: 'healthy', warning: 'not well', bad: 'away', unknown: 'connecting' },
};

export function conditionOf(summary: NodeSummary | undefined): Condition {
  if (summary === undefined || summary.reach.kind === 'connecting') return 'unknown';
  if (summary.reach.kind === 'away') return 'bad';
  return summary.isReady === false || summary.troubles.length > 0 ? 'warning' : 'good';
}

/** The condition as a shape and a colour, so that it can be told without seeing colours. */
export function StateDot({ condition, title }: { readonly condition: Condition; readonly title?: string }) {
  const name = title ?? words[condition];
  return (
    <svg class={`dot ${condition}`} viewBox="0 0 12 12" role="img" aria-label={name}>
      <title>{name}</title>
      {condition === 'good' && <circle cx="6" cy="6" r="4.5" />}
      {condition === 'warning' && <path d="M6 1 11.5 10.8H.5Z" />}
      {condition === 'bad' && <path d="M2 2l8 8M10 2l-8 8" />}
      {condition === 'unknown' && <circle cx="6" cy="6" r="4" />}
    </svg>
  );
}
