import { useState } from 'preact/hooks';

interface CommandProps {
  readonly text: string;
  readonly does: string;
}

/** A command to run in a terminal. The page only shows and copies it. */
export function Command({ text, does }: CommandProps) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('copied'),
      () => setSaid('the browser does not allow it: select the text'),
    );
  return (
    <div class="command-row">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy: ${text}`}>
        Copy
      </button>
      <span class="soft">
        {does}
        <span role="status">{said === '' ? '' : ` · ${said}`}</span>
      </span>
    </div>
  );
}

/** A command of talosctl for the context that the page shows: another one may be current in the terminal. */
export const commandText = (context: string, words: string): string =>
  `talosctl --context ${/^[\w.@:/-]+$/.test(context) ? context : `'${context.replaceAll("'", "'\\''")}'`} ${words}`;
