import type { NodeClient, TalosClient } from '@nodewright/client';
import type { CliEnvironment } from '../context/command-module.ts';
import { unguarded } from '../context/terminal-output.ts';
import { Feeds } from './feed/feeds.ts';
import { afterNodeEvent } from './model/events.ts';
import { afterKey } from './model/keys.ts';
import { type DashboardModel, newModel } from './model/model.ts';
import { subscriptionsOf } from './model/subscriptions.ts';
import type { Key } from './screen/decode-keys.ts';
import { encodeFrame, type Looks } from './screen/encode-frame.ts';
import { type Frame, fitFrame } from './screen/frame.ts';
import { Terminal } from './terminal.ts';
import { renderDashboard } from './views/render.ts';

/** Events within this time are drawn together. */
const drawMs = 50;
/** Redraws at this interval even without events, because the screen shows times. */
const tickMs = 1000;

export interface RunDashboardInit {
  readonly env: CliEnvironment;
  readonly client: TalosClient;
  /** The nodes to show; at least one. */
  readonly nodes: readonly NodeClient[];
  readonly intervalMs: number;
  /** The text that the request logs of nodes have of this dashboard's requests. */
  readonly session?: string;
  /** The roles in the caller's certificate; undefined without one. */
  readonly callerRoles?: readonly string[] | undefined;
}

/** Shows the nodes on the terminal until the user quits. */
export async function runDashboard(init: RunDashboardInit): Promise<void> {
  using dashboard = new Dashboard(init);
  await dashboard.ended;
}

class Dashboard implements Disposable {
  readonly #now: () => Date;
  readonly #looks: Looks;
  readonly #terminal: Terminal;
  readonly #feeds: Feeds;
  readonly #end = Promise.withResolvers<void>();
  readonly #scope = new DisposableStack();
  #model: DashboardModel;
  #shown: Frame | undefined;
  #isFull = false;
  #drawing: NodeJS.Timeout | undefined;

  constructor({ env, ...init }: RunDashboardInit) {
    this.#now = () => env.now();
    this.#looks = looksOf(env.environment);
    this.#model = newModel(init.nodes.map(({ name }) => name));
    const stop = () => this.#end.resolve();
    env.signal.addEventListener('abort', stop);
    this.#scope.defer(() => env.signal.removeEventListener('abort', stop));
    if (env.signal.aborted) stop();
    this.#feeds = this.#scope.use(
      new Feeds({
        ...init,
        now: this.#now,
        emit: (node, event) => this.#become(afterNodeEvent(this.#model, node, event)),
      }),
    );
    this.#terminal = this.#scope.use(
      new Terminal(env.stdin, unguarded(env.stdout) as NodeJS.WriteStream, {
        onKeys: (keys) => this.#press(keys),
        onResize: () => {
          this.#shown = undefined;
          this.#draw();
        },
        onDrain: () => {
          this.#isFull = false;
          this.#draw();
        },
        onEnd: stop,
      }),
    );
    const ticks = setInterval(() => this.#draw(), tickMs);
    this.#scope.defer(() => clearInterval(ticks));
    this.#scope.defer(() => clearTimeout(this.#drawing));
    this.#feeds.want(subscriptionsOf(this.#model));
    this.#draw();
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  [Symbol.dispose](): void {
    this.#scope.dispose();
  }

  #press(keys: readonly Key[]): void {
    let model = this.#model;
    for (const key of keys) {
      // A page is what a list or a document shows at once.
      model = afterKey(model, key, this.#terminal.size.rows - 3);
      if (key.kind === 'named' && key.name === 'ctrl-l') this.#shown = undefined;
    }
    this.#become(model);
    this.#draw();
    if (model.isLeaving) this.#end.resolve();
  }

  #become(model: DashboardModel): void {
    this.#model = model;
    this.#feeds.want(subscriptionsOf(model));
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#draw();
    }, drawMs);
  }

  #draw(): void {
    if (this.#isFull) return;
    const { size } = this.#terminal;
    const frame = fitFrame(renderDashboard(this.#model, size, this.#now()), size);
    const text = encodeFrame(frame, this.#shown, this.#looks);
    this.#shown = frame;
    if (text !== '') this.#isFull = !this.#terminal.write(text);
  }
}

/** Colours unless NO_COLOR is set; characters beyond ASCII if the locale and the console support them. */
export function looksOf(environment: Readonly<NodeJS.ProcessEnv>): Looks {
  const { NO_COLOR = '', LC_ALL, LC_CTYPE, LANG, TERM } = environment;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '') ?? 'UTF-8';
  return { hasColours: NO_COLOR === '', hasUnicode: TERM !== 'linux' && /utf-?8/i.test(locale) };
}
