import { useState } from 'preact/hooks';
import { exchangeToken, tokenIn } from '../connection/session.ts';

interface EntranceProps {
  /** Why the link did not open the page; undefined when the page was opened without one. */
  readonly problem: string | undefined;
  readonly onSecret: (secret: string) => void;
}

/** What a page without a session shows. */
export function Entrance({ problem, onSecret }: EntranceProps) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState(problem);
  const enter = async (event: Event) => {
    event.preventDefault();
    try {
      onSecret(await exchangeToken(tokenIn(text)));
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <main class="entrance">
      <h1>talosctl ui</h1>
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      <p>
        This page has no session. A link opens one page, once, and reloading a page ends its session. Press
        Enter in the terminal where <code>talosctl ui</code> runs: it prints a new link.
      </p>
      <form onSubmit={enter}>
        <label>
          Link or token{' '}
          <input
            type="text"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
    </main>
  );
}
