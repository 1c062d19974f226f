import { render } from 'preact';
import {
  afterRefusal,
  askTabs,
  exchangeToken,
  forgetSession,
  keepSession,
  resumeSession,
  takeToken,
} from './connection/session.ts';
import { App } from './shell/app.tsx';
import { Entrance } from './shell/entrance.tsx';
import { replaceWith } from './shell/route.ts';
import { applyScheme, savedScheme } from './shell/scheme.ts';
import { Store } from './store/store.ts';
import { StoreContext } from './store/use-store.ts';

const place = document.getElementById('page') as HTMLElement;

let store: Store | undefined;
let stopAsking: (() => void) | undefined;

/** Goes on with the session of another tab as soon as there is one. */
function askOtherTabs(onNone: () => void): void {
  stopAsking?.();
  stopAsking = askTabs(begin, onNone);
}

function begin(secret: string): void {
  stopAsking?.();
  keepSession(secret);
  if (store !== undefined) {
    store.connect(secret);
    return;
  }
  store = new Store({ onRefused: leave, onMoved: () => replaceWith('cluster') });
  store.connect(secret);
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    place,
  );
}

/** The program has ended this session, or another program answers now. */
function leave(secret: string): void {
  forgetSession(secret);
  askOtherTabs(() => {});
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
  exchangeToken(token).then(begin, async ({ message }: Error) => {
    await afterRefusal({
      ...{ begin, resume: resumeSession, isBegun: () => store !== undefined },
      askTabs: () => askOtherTabs(() => {}),
    });
    refuse(message);
  });
  return true;
}

applyScheme(savedScheme());
// What was shown until this script had loaded.
place.replaceChildren();
// A link that is opened in the tab of the page changes only the part of the address that loads nothing.
addEventListener('hashchange', ({ oldURL }) => void enter(oldURL));
if (!enter()) {
  const resumed = await resumeSession();
  if (resumed !== undefined) begin(resumed);
  else askOtherTabs(() => refuse(undefined));
}
