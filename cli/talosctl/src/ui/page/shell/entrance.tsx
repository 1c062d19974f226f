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
        This tab needs a link: it had no session before, and no other tab of this browser shows the page.
        Press Enter in the terminal where this command runs, and open the link that it prints:
      </p>
      <pre class="command">talosctl ui</pre>
      <p class="soft">
        A link opens one page, within a minute. After that, reloads and further tabs need none while a tab is
        open.
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
