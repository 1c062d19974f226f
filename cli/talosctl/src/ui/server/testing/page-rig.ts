import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Fault } from '@nodewright/fault';
import { limits as defaultLimits, type Limits } from '../../domain/limits.ts';
import type { PageFile } from '../page-files.ts';
import { PageServer } from '../page-server.ts';
import type { PageStream } from '../page-stream.ts';

const files = new Map<string, PageFile>([
  ['/', { type: 'text/html', bytes: Buffer.from('<!doctype html>') }],
]);

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A server of the page whose pages get what a test sends. */
export class PageRig implements AsyncDisposable {
  nowMs = 1_000_000;
  readonly streams: PageStream[] = [];
  readonly calls: unknown[] = [];
  server!: PageServer;
  readonly #sockets: Socket[] = [];
  /** Requests named `wait` that are not answered yet. */
  #waiting: (() => void)[] = [];
  #arrived = Promise.withResolvers<void>();

  static async open(limits: Partial<Limits> = {}): Promise<PageRig> {
    const rig = new PageRig();
    rig.server = await PageServer.listen({
      ...{ files, port: 0, now: () => rig.nowMs, limits: { ...defaultLimits, ...limits } },
      backend: {
        open(stream) {
          rig.streams.push(stream);
          return {
            async call(name, body) {
              if (name === 'fail') throw new Fault('invalid-argument', 'refused');
              if (name === 'throw') throw new Error('it broke');
              if (name === 'wait') {
                const { promise, resolve } = Promise.withResolvers<void>();
                rig.#waiting.push(resolve);
                rig.#arrived.resolve();
                return promise;
              }
              rig.calls.push(body);
              return undefined;
            },
            [Symbol.dispose]() {},
          };
        },
      },
    });
    return rig;
  }

  /** Resolves when so many requests named `wait` have arrived. */
  async waiters(count: number): Promise<void> {
    while (this.#waiting.length < count) {
      await this.#arrived.promise;
      this.#arrived = Promise.withResolvers<void>();
    }
  }

  answerAll(): void {
    for (const answer of this.#waiting) answer();
    this.#waiting = [];
  }

  get port(): number {
    return Number(new URL(this.server.address).port);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  ask(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false });
      asked.on('error', reject);
      asked.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on('error', reject);
      });
      asked.end(body);
    });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const own = { 'content-type': 'application/json', origin: this.origin, ...headers };
    return this.ask('POST', path, own, JSON.stringify(body));
  }

  async newSecret(): Promise<string> {
    const { text } = await this.post('/api/session', { token: this.server.issueToken().text });
    return (JSON.parse(text) as { secret: string }).secret;
  }

  /** Opens the stream of a page. Resolves when its first bytes have arrived. */
  openStream(secret: string): Promise<{ status: number; response: IncomingMessage; closed: Promise<void> }> {
    return new Promise((resolve, reject) => {
      const headers = { 'x-page-secret': secret };
      const asked = request({
        host: '127.0.0.1',
        port: this.port,
        path: '/api/stream',
        headers,
        agent: false,
      });
      asked.on('error', () => {});
      asked.on('response', (response) => {
        const closed = new Promise<void>((done) => response.once('close', done));
        response.on('error', () => {});
        resolve({ status: response.statusCode ?? 0, response, closed });
      });
      asked.once('error', reject);
      asked.end();
      asked.on('socket', (socket) => this.#sockets.push(socket));
    });
  }

  connect(): Socket {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => {});
    this.#sockets.push(socket);
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.server[Symbol.asyncDispose]();
  }
}
