import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Fault, faultFrom } from '@nodewright/fault';
import { refusalOf } from '../domain/check-request.ts';
import { limits as defaultLimits, type Limits } from '../domain/limits.ts';
import { safeJson } from '../domain/safe-json.ts';
import type { PageFile } from './page-files.ts';
import { PageStream } from './page-stream.ts';
import { readBody } from './read-body.ts';
import { type Session, Sessions, type Token } from './sessions.ts';

/** What a page gets from the rest of the program. */
export interface PageBackend {
  /** Begins to send to a page. */
  open(stream: PageStream): OpenPage;
}

export interface OpenPage extends Disposable {
  /** Answers the request of a page. @throws Fault */
  call(name: string, body: unknown): Promise<unknown>;
}

export interface PageServerInit {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly backend: PageBackend;
  /** 0: any free port. */
  readonly port: number;
  readonly now: () => number;
  readonly limits?: Limits;
}

/** Source: Content Security Policy Level 3, W3C; Trusted Types, W3C. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
} as const;

const secretHeader = 'x-page-secret';

/** Serves the page on a port of loopback. */
export class PageServer implements AsyncDisposable {
  readonly #init: PageServerInit;
  readonly #limits: Limits;
  readonly #server: Server;
  readonly #sessions: Sessions;
  readonly #pages = new Map<Session, { readonly stream: PageStream; readonly page: OpenPage }>();
  /** Connections without a session so far, oldest first. */
  readonly #strangers = new Set<Socket>();
  #port = 0;

  private constructor(init: PageServerInit) {
    const { now, limits = defaultLimits } = init;
    this.#init = init;
    this.#limits = limits;
    this.#sessions = new Sessions(now, limits);
    this.#server = createServer(
      {
        maxHeaderSize: limits.headBytes,
        headersTimeout: limits.headMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: 1000,
        keepAliveTimeout: 5000,
      },
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    );
    this.#server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** @throws Fault `failed-precondition` when the port is taken */
  static async listen(init: PageServerInit): Promise<PageServer> {
    const server = new PageServer(init);
    const listening = Promise.withResolvers<void>();
    server.#server.once('error', listening.reject);
    server.#server.listen({ host: '127.0.0.1', port: init.port }, listening.resolve);
    try {
      await listening.promise;
    } catch (error) {
      // The message of the system says its reason twice.
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Fault(
        'failed-precondition',
        `the page cannot be served on port ${init.port} of 127.0.0.1: ${code ?? message}; choose another with --port`,
        { cause: error },
      );
    }
    server.#server.removeListener('error', listening.reject);
    server.#port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** `http://127.0.0.1:40123/`. */
  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  issueToken(): Token {
    return this.#sessions.issueToken();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stream, page } of this.#pages.values()) {
      page[Symbol.dispose]();
      stream.close();
    }
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Closes the oldest connection without a session when there are too many: those of open pages stay. */
  #admit(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
    if (this.#strangers.size <= this.#limits.strangers) return;
    const [oldest] = this.#strangers;
    oldest?.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const path = request.url ?? '/';
    const refusal = refusalOf(
      {
        ...{ method: request.method ?? '', path, host: request.headers.host },
        origin: request.headers.origin,
        fetchSite: textOf(request.headers['sec-fetch-site']),
        fetchMode: textOf(request.headers['sec-fetch-mode']),
      },
      this.#port,
    );
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message);
    const file = request.method === 'GET' ? this.#init.files.get(path) : undefined;
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
      response.end(file.bytes);
      return;
    }
    if (path === '/api/session' && request.method === 'POST') return this.#begin(request, response);
    if (!path.startsWith('/api/')) return refuse(response, 404, 'there is no such page');
    const session = this.#sessions.find(textOf(request.headers[secretHeader]));
    if (session === undefined) return refuse(response, 401, 'this page has no session, or it has ended');
    this.#strangers.delete(request.socket);
    if (!this.#sessions.mayRequest(session))
      return refuse(response, 429, 'too many requests within a second');
    if (path === '/api/stream' && request.method === 'GET') return this.#open(session, response);
    if (request.method !== 'POST') return refuse(response, 404, 'there is no such request');
    if (path === '/api/resume') return this.#resume(request, response);
    return this.#call(session, path.slice('/api/'.length), request, response);
  }

  async #begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, this.#limits.bodyBytes);
    if (body.kind === 'refused') return refuse(response, body.status, body.message);
    const { token } = (body.value ?? {}) as { token?: unknown };
    const secret = typeof token === 'string' ? this.#sessions.exchange(token) : undefined;
    if (secret === undefined) {
      return refuse(response, 403, 'this link has been used already, or is older than a minute');
    }
    sendJson(response, { secret });
  }

  /**
   * Answers a tab that has the secret of a session: one that was reloaded or restored goes on with this session, and a further tab gets
   * a session of its own, because a session has one stream.
   */
  async #resume(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, this.#limits.bodyBytes);
    if (body.kind === 'refused') return refuse(response, body.status, body.message);
    const { isFurther } = (body.value ?? {}) as { isFurther?: unknown };
    sendJson(response, isFurther === true ? { secret: this.#sessions.begin() } : {});
  }

  #open(session: Session, response: ServerResponse): void {
    this.#pages.get(session)?.stream.close();
    if (!this.#sessions.setOpen(session, true)) {
      refuse(response, 429, `${this.#limits.streams} pages are open already: close one of them`);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    const stream = new PageStream(response, this.#init.now, this.#limits);
    const opened = { stream, page: this.#init.backend.open(stream) };
    this.#pages.set(session, opened);
    response.once('close', () => {
      opened.page[Symbol.dispose]();
      if (this.#pages.get(session) !== opened) return;
      this.#pages.delete(session);
      this.#sessions.setOpen(session, false);
    });
  }

  async #call(
    session: Session,
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (session.calls >= this.#limits.calls) {
      return refuse(response, 429, `${this.#limits.calls} requests of this page are not answered yet`);
    }
    session.calls += 1;
    try {
      const body = await readBody(request, this.#limits.bodyBytes);
      if (body.kind === 'refused') return refuse(response, body.status, body.message);
      const opened = this.#pages.get(session);
      if (opened === undefined) return refuse(response, 409, 'the stream of this page is not open');
      sendJson(response, (await opened.page.call(name, body.value)) ?? {});
    } catch (error) {
      const { kind, message } = faultFrom(error);
      refuse(response, statuses[kind] ?? 502, message);
    } finally {
      session.calls -= 1;
    }
  }
}

const statuses: Partial<Readonly<Record<Fault['kind'], number>>> = {
  ...{ 'invalid-argument': 400, 'not-found': 404, 'permission-denied': 403, 'failed-precondition': 409 },
};

const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

function sendJson(response: ServerResponse, value: unknown): void {
  const bytes = Buffer.from(safeJson(value));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  });
  response.end(bytes);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(safeJson({ error: message }));
  // What remains of the body of a refused request is not read.
  response.writeHead(status, {
    ...{ 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length },
    connection: 'close',
  });
  response.end(bytes);
}
