import { render } from 'preact';
import { exchangeToken, takeToken } from './connection/session.ts';
import { App } from './shell/app.tsx';
import { Entrance } from './shell/entrance.tsx';
import { applyScheme, savedScheme } from './shell/scheme.ts';
import { Store } from './store/store.ts';
import { StoreContext } from './store/use-store.ts';

const place = document.getElementById('page') as HTMLElement;

function begin(secret: string): void {
  const store = new Store();
  store.connect(secret);
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    place,
  );
}

function refuse(problem: string | undefined): void {
  render(<Entrance problem={problem} onSecret={begin} />, place);
}

applyScheme(savedScheme());
// What was shown until this script had loaded.
place.replaceChildren();
const token = takeToken();
if (token === undefined) refuse(undefined);
else exchangeToken(token).then(begin, ({ message }: Error) => refuse(message));
