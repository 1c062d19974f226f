import type { ComponentChildren } from 'preact';

interface PanelProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  /** The number of the snapshot that the panel shows. */
  readonly number?: number;
  readonly children: ComponentChildren;
}

/** A titled part of a view. */
export function Panel({ title, aside, class: name = '', number, children }: PanelProps) {
  return (
    <section class={`panel ${name}`} data-snapshot={number}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Why there is nothing to show, or that it has not arrived yet. */
export function Waiting({ problem, what }: { readonly problem: string | undefined; readonly what: string }) {
  if (problem === undefined) return <p class="nothing">waiting for {what} …</p>;
  return <p class="problem">{problem}</p>;
}

interface MeterProps {
  readonly share: number | undefined;
  readonly text: string;
  readonly label: string;
  /** A large share is nothing to worry about. */
  readonly isPlain?: boolean;
}

/** A bar of a share, with its text. */
export function Meter({ share, text, label, isPlain = false }: MeterProps) {
  const level = share === undefined || isPlain ? '' : share > 0.9 ? 'bad' : share > 0.75 ? 'warning' : '';
  return (
    <span class={`meter ${level}`}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={`${label}: ${text}`}>
        <rect class="track" width="100" height="8" rx="2" />
        <rect class="fill" width={Math.min(100, Math.max(0, (share ?? 0) * 100))} height="8" rx="2" />
      </svg>
      <span>{text}</span>
    </span>
  );
}

/** Facts as a list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === undefined || value === '' ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  );
}
