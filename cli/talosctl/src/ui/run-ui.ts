import { once } from 'node:events';
import { join } from 'node:path';
import type { NodeClient, TalosClient } from '@nodewright/client';
import type { CliEnvironment } from '../context/command-module.ts';
import { writeDocument } from '../render/document.ts';
import type { OutputFormat } from '../render/output-format.ts';
import { openBrowser } from './browser/open-browser.ts';
import { ClusterPages } from './collect/cluster-pages.ts';
import { limits } from './domain/limits.ts';
import { readPageFiles } from './server/page-files.ts';
import { PageServer } from './server/page-server.ts';
import type { Token } from './server/sessions.ts';
import type { TraceSettings } from './traces/trace-calls.ts';

export interface RunUiInit {
  readonly env: CliEnvironment;
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  /** The text that lines of request logs about this program contain. */
  readonly session: string;
  /** Name of the context of the talosconfig. */
  readonly context: string;
  readonly port: number;
  /** Whether the page may change anything on nodes. */
  readonly allowsActions: boolean;
  /** The roles in the certificate of the user; undefined without one. */
  readonly callerRoles: readonly string[] | undefined;
  readonly cluster: string;
  /** The authority of the context. */
  readonly ca: string | undefined;
  readonly traces: TraceSettings;
  readonly opensBrowser: boolean;
  readonly output: OutputFormat;
}

/** Serves the page until the user stops the program. */
export async function runUi(init: RunUiInit): Promise<void> {
  const { env, client, nodes, session, context, port, allowsActions, callerRoles, cluster, traces } = init;
  await using scope = new AsyncDisposableStack();
  const files = await readPageFiles(join(import.meta.dirname, 'ui'));
  const backend = scope.use(
    new ClusterPages({
      ...{ client, nodes, session, context, allowsActions, callerRoles, cluster, traces },
      ca: init.ca,
      now: () => env.now(),
    }),
  );
  const now = () => env.now().getTime();
  const server = scope.use(await PageServer.listen({ files, backend, port, now }));
  const opened = scope.adopt(new OpenedFile(), (each) => each.remove());
  /** Prints a link, which replaces the one before it. */
  const invite = async () => {
    await opened.remove();
    const token = server.issueToken();
    const address = `${server.address}#token=${token.text}`;
    if (init.opensBrowser) await opened.open(address, env.environment);
    await print(init, server.address, token, opened.isThere);
  };
  await invite();
  while (!env.signal.aborted) {
    if (env.isInteractive) await once(env.stdin, 'data', { signal: env.signal }).catch(() => {});
    else await once(env.signal, 'abort');
    if (!env.signal.aborted) await invite();
  }
}

/** The file that leads the browser to the page. It is removed when its token is worth nothing any more. */
class OpenedFile {
  #file: AsyncDisposable | undefined;
  #timer: NodeJS.Timeout | undefined;

  get isThere(): boolean {
    return this.#file !== undefined;
  }

  async open(address: string, environment: Readonly<NodeJS.ProcessEnv>): Promise<void> {
    this.#file = await openBrowser({ address, environment, platform: process.platform });
    this.#timer = setTimeout(() => void this.remove(), limits.tokenMs).unref();
  }

  async remove(): Promise<void> {
    clearTimeout(this.#timer);
    const file = this.#file;
    this.#file = undefined;
    await file?.[Symbol.asyncDispose]();
  }
}

async function print(
  { env, nodes, output, allowsActions }: RunUiInit,
  address: string,
  { text, expiresMs }: Token,
  isOpened: boolean,
): Promise<void> {
  if (output !== 'table') {
    const expires = new Date(expiresMs).toISOString();
    return writeDocument(env.stdout, output, { address, token: text, expires });
  }
  const seconds = limits.tokenMs / 1000;
  const lines = [
    `${address} shows ${nodes.length === 1 ? 'one node' : `${nodes.length} nodes`}, ${allowsActions ? 'with actions' : 'read only'}, until Ctrl-C ends this program.`,
    isOpened ? 'The page opens in your browser. If it does not:' : 'Open it in a browser:',
    `  ${address}#token=${text}`,
    `The link works once, within ${seconds} seconds.${env.isInteractive ? ' Press Enter for another one.' : ''}`,
    '',
  ];
  env.stdout.write(lines.join('\n'));
}
