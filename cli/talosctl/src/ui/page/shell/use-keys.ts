import { useEffect } from 'preact/hooks';
import { goTo } from './route.ts';
import { viewKeys, views } from './views.ts';

/** All keys, as the help shows them. */
export const keys = [
  {
    key: '1 … 9, 0',
    does: views
      .filter(({ id }) => id !== 'upgrade')
      .map(({ title }) => title.toLowerCase())
      .join(', '),
  },
  { key: 'u', does: 'the upgrade of all nodes' },
  { key: '/', does: 'to the filter of the view' },
  { key: 'p', does: 'pause and resume the logs' },
  { key: 's', does: 'light and dark colours' },
  { key: '?', does: 'this help' },
  { key: 'Tab, Enter', does: 'from one link or button to the next, and follow it' },
] as const;

export interface KeyActions {
  readonly showHelp: () => void;
  readonly changeScheme: () => void;
}

/** Keys that work everywhere except while a text is typed. */
export function useKeys({ showHelp, changeScheme }: KeyActions): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key } = event;
      // The editor is in a shadow tree, whose events have its host as their target.
      const [target] = event.composedPath();
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable || target.matches('input:not([type=checkbox]), select, textarea'));
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping ||
        document.querySelector('dialog[open]')
      )
        return;
      const view = views.find(({ id }) => viewKeys.get(id) === key);
      if (view !== undefined) goTo(view.id);
      else if (key === '/') document.querySelector<HTMLElement>('[data-filter], .filter input')?.focus();
      else if (key === 'p') document.querySelector<HTMLElement>('[data-pause]')?.click();
      else if (key === 's') changeScheme();
      else if (key === '?') showHelp();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}
