// How a tab gets its session: with the token of a link, with the secret that it kept, or from another tab of the same origin. An origin
// includes the port, so a page that another program serves on this machine reaches neither the secret of a tab nor its channel. Cookies
// are shared by all ports of an address, and are therefore not used. A page that another program has served on the same port before is of
// the same origin: no exchange between tabs can keep it out, because it could also read the window of a tab that it opens.

const tokenPattern = /^#token=([\w-]{10,100})$/;
const secretKey = 'session';
const channelName = 'session';
/** A tab that is reloaded lets go of its session a moment after the new page has begun: beside other work, more than a quarter of a second. */
const reloadMs = 1_000;
/** How long a tab waits for the secret of another one, before it asks for a link. */
const otherTabMs = 700;
/** How many secrets a tab tries before its user comes back to it. A tab that answers has one. */
const mostHeard = 8;

/**
 * Takes the token out of the address, so that it is neither in the history nor on the screen.
 *
 * @param before the address that takes its place, if it has no token
 */
export function takeToken(before = ''): string | undefined {
  const token = tokenPattern.exec(location.hash)?.[1];
  if (token !== undefined) {
    const place = URL.canParse(before) ? new URL(before).hash : '';
    history.replaceState(undefined, '', `/${tokenPattern.test(place) ? '' : place}`);
  }
  return token;
}

/** The token in what a person pasted: a token, or the whole link. */
export function tokenIn(text: string): string {
  return /token=([\w-]+)/.exec(text)?.[1] ?? text.trim();
}

/** @throws Error with what the server says */
export async function exchangeToken(token: string): Promise<string> {
  const answer = await post('/api/session', { token });
  if (answer.secret === undefined) throw new Error(answer.error ?? `status ${answer.status}`);
  return answer.secret;
}

/** Keeps the secret for a reload of this tab, and answers tabs that have none. A tab calls it for each session that it begins. */
export function keepSession(secret: string): void {
  sessionStorage.setItem(secretKey, secret);
  void holdSession(secret);
  answerTabs();
}

/** Forgets a secret that the program does not know any more, so that this tab does not offer it to others. */
export function forgetSession(secret: string): void {
  if (sessionStorage.getItem(secretKey) === secret) sessionStorage.removeItem(secretKey);
}

/** The session that this tab had before it was reloaded or restored; undefined without one, or when the program does not know it. */
export async function resumeSession(): Promise<string | undefined> {
  const secret = sessionStorage.getItem(secretKey);
  if (secret === null) return undefined;
  // A browser gives a copy of a tab the secret of the original, which still uses it.
  return resume(secret, !(await holdSession(secret)));
}

/**
 * Asks the open tabs for a session, now and whenever the user comes back to this tab, and once more when the program knows none of their
 * secrets: a tab may have begun a session meanwhile.
 *
 * @param onSecret is called once at most
 * @param onNone no tab has answered so far
 * @returns a function that ends the search
 */
export function askTabs(onSecret: (secret: string) => void, onNone: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  /** The secrets since the tab has asked, and those of them that were not tried yet. */
  const heard = new Set<string>();
  const untried: string[] = [];
  let mayRepeat = true;
  let isTrying = false;
  let isOver = false;
  const ask = () => channel.postMessage({ kind: 'wanted' });
  const timer = setTimeout(onNone, otherTabMs);
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    channel.close();
    document.removeEventListener('visibilitychange', askAnew);
  };
  const askAnew = () => {
    heard.clear();
    mayRepeat = true;
    ask();
  };
  const tryAll = async () => {
    isTrying = true;
    for (let next = untried.shift(); next !== undefined; next = untried.shift()) {
      const secret = await resume(next, true);
      if (isOver) return;
      if (secret === undefined) continue;
      stop();
      onSecret(secret);
      return;
    }
    isTrying = false;
    if (!mayRepeat) return;
    mayRepeat = false;
    ask();
  };
  channel.onmessage = ({ data }) => {
    if (data?.kind !== 'secret' || typeof data.secret !== 'string') return;
    if (heard.size >= mostHeard || heard.has(data.secret)) return;
    heard.add(data.secret);
    untried.push(data.secret);
    if (!isTrying) void tryAll();
  };
  document.addEventListener('visibilitychange', askAnew);
  ask();
  return stop;
}

interface RefusalInit {
  /** Whether the tab has a session that is in use. */
  readonly isBegun: () => boolean;
  readonly resume: () => Promise<string | undefined>;
  readonly begin: (secret: string) => void;
  readonly askTabs: () => void;
}

/** Goes on after a link was refused, with what the tab has: a session in use, or one of before a reload, or else that of another tab. */
export async function afterRefusal({ isBegun, resume, begin, askTabs }: RefusalInit): Promise<void> {
  if (isBegun()) return;
  const resumed = await resume();
  // The user may have opened a further link meanwhile.
  if (isBegun()) return;
  if (resumed === undefined) askTabs();
  else begin(resumed);
}

let answering: BroadcastChannel | undefined;

/** Gives the secret of this tab to new tabs, as long as this tab has one. */
function answerTabs(): void {
  if (answering !== undefined) return;
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => {
    const secret = sessionStorage.getItem(secretKey);
    if (data?.kind === 'wanted' && secret !== null) channel.postMessage({ kind: 'secret', secret });
  };
  answering = channel;
}

const held = new Set<string>();

/** Marks a session as used by this tab until the tab ends. @returns false when another tab uses it */
function holdSession(secret: string): Promise<boolean> {
  // Browsers have no locks for pages of a host that they do not trust.
  if (held.has(secret) || navigator.locks === undefined) return Promise.resolve(true);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const signal = AbortSignal.timeout(reloadMs);
  navigator.locks
    .request(`session ${secret}`, { signal }, () => {
      held.add(secret);
      resolve(true);
      // The browser lets go of the lock when the tab ends.
      return new Promise<never>(() => {});
    })
    .catch(() => resolve(false));
  return promise;
}

/**
 * Goes on with the session of a secret, or begins a further one with it.
 *
 * @returns its secret; undefined when the program does not know the given one
 */
async function resume(secret: string, isFurther: boolean): Promise<string | undefined> {
  const answer = await post('/api/resume', { isFurther }, secret).catch(() => undefined);
  if (answer?.status === 401) forgetSession(secret);
  return answer?.isOk ? (answer.secret ?? secret) : undefined;
}

interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  readonly secret?: string;
  readonly error?: string;
}

async function post(path: string, body: object, secret?: string): Promise<Answer> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(secret && { 'x-page-secret': secret }) },
    body: JSON.stringify(body),
  });
  const { ok: isOk, status } = response;
  return { ...((await response.json()) as Partial<Answer>), isOk, status };
}
