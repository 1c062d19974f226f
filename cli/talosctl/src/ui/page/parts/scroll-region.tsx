import type { ComponentChildren } from 'preact';

interface ScrollRegionProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part that scrolls on its own. The keyboard reaches it, and then scrolls it. */
export function ScrollRegion({ label, class: name = 'scroll', children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section class={name} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
