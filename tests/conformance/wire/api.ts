import { CallFailure, type CallStatus, codes } from './call-failure.ts';
import type { Method } from './method.ts';
import type { WireCall } from './wire-call.ts';
import type { WireCallInit, WireConnection, WireMetadata } from './wire-connection.ts';

/** An open server stream. */
export interface ReplyStream<Response> extends AsyncIterable<Response> {
  /** Cancels the call. The sequence ends. */
  cancel(): void;
  /** Resolves when the call is over, for whatever reason. */
  status(): Promise<CallStatus>;
}

/** Calls that share metadata and a connection. */
export class Api {
  readonly connection: WireConnection;
  readonly metadata: WireMetadata;

  constructor(connection: WireConnection, metadata: WireMetadata = {}) {
    this.connection = connection;
    this.metadata = metadata;
  }

  /** The same connection with other metadata. */
  with(metadata: WireMetadata): Api {
    return new Api(this.connection, metadata);
  }

  /** Opens a call that exchanges raw bytes. */
  open(path: string, init: WireCallInit = {}): WireCall {
    return this.connection.call(path, { ...init, metadata: { ...this.metadata, ...init.metadata } });
  }

  /** A call that has one answer. Rejects with a CallFailure. */
  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    init: WireCallInit = {},
  ): Promise<Response> {
    const call = this.open(method.path, init);
    call.send(method.encode(request));
    call.end();
    const answers: Buffer[] = [];
    for await (const answer of call.messages()) answers.push(answer);
    const status = await call.status();
    if (status.code !== codes.ok) throw new CallFailure(status);
    const [answer] = answers;
    if (answer === undefined || answers.length > 1) {
      throw new Error(`${method.path} ended OK with ${answers.length} messages: it has one answer`);
    }
    return method.decode(answer);
  }

  /** A call that is answered by a stream. Reading it throws a CallFailure at its end, but not after cancel(). */
  stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    init: WireCallInit = {},
  ): ReplyStream<Response> {
    const call = this.open(method.path, init);
    call.send(method.encode(request));
    call.end();
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
      call.cancel();
    };
    return {
      cancel,
      status: () => call.status(),
      async *[Symbol.asyncIterator]() {
        let isOver = false;
        try {
          for await (const message of call.messages()) yield method.decode(message);
          const status = await call.status();
          isOver = true;
          if (status.code !== codes.ok && !isCancelled) throw new CallFailure(status);
        } finally {
          if (!isOver) cancel();
        }
      },
    };
  }
}
