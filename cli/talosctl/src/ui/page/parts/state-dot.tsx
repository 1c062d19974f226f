import type { Condition } from '../judge/condition.ts';

const words: Readonly<Record<Condition, string>> = {
  ...{ good: 'ready', warning: 'not well', bad: 'away', unknown: 'not known' },
};

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
