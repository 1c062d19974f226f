import { render } from 'preact';
import { exchangeToken, takeToken } from './connection/session.ts';
import { App } from './shell/app.tsx';
import { Entrance } from './shell/entrance.tsx';
import { applyScheme, savedScheme } from './shell/scheme.ts';
import { Store } from './store/store.ts';
import { StoreContext } from './store/use-store.ts';

const place = document.getElementById('page') as HTMLElement;

let store: Store | undefined;

function begin(secret: string): void {
  if (store !== undefined) {
    store.connect(secret);
    return;
  }
  store = new Store();
  store.connect(secret);
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    place,
  );
}

let refusals = 0;

function refuse(problem: string | undefined): void {
  if (store !== undefined) {
    if (problem !== undefined) store.refuse(problem);
    return;
  }
  refusals += 1;
  render(<Entrance key={refusals} problem={problem} onSecret={begin} />, place);
}

/** Opens a session with the token in the address, if there is one. */
function enter(before?: string): boolean {
  const token = takeToken(before);
  if (token === undefined) return false;
  exchangeToken(token).then(begin, ({ message }: Error) => refuse(message));
  return true;
}

applyScheme(savedScheme());
// What was shown until this script had loaded.
place.replaceChildren();
// A link that is opened in the tab of the page changes only the part of the address that loads nothing.
addEventListener('hashchange', ({ oldURL }) => void enter(oldURL));
if (!enter()) refuse(undefined);
