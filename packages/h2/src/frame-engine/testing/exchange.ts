import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../../call.ts';
import { type EnginePair, openPair, requestHead } from '../../conformance/index.ts';
import type { H2Limits } from '../../engine.ts';
import type { Random } from './seed.ts';

/** One random call: what the client sends, and what the server does. */
export interface Exchange {
  readonly headers: readonly string[];
  readonly request: readonly number[];
  readonly answerHead: readonly string[];
  readonly answer: readonly number[];
  readonly trailers: readonly string[];
  /**
   * The code with which the server resets the call instead of writing a body. A later reset is not compared:
   * node:http2 of Node.js 26.10 ends the process when a stream with trailers is reset while its body waits
   * for a window (`Http2Stream::OnTrailers`, `!this->is_destroyed()`).
   */
  readonly resetCode: number | undefined;
}

const texts = ['', 'a', 'application/grpc', 'trailers', '%20', 'x'.repeat(300), 'caf\u00e9', ' blank ', '0'];

function randomFields(random: Random, prefix: string): string[] {
  return Array.from({ length: random(6) }, (_, index) => [
    `${prefix}-${random(3) === 0 ? 'same' : index}`,
    texts[random(texts.length)] as string,
  ]).flat();
}

/** Mostly small chunks; now and then one that no window holds. */
function randomChunks(random: Random): number[] {
  const size = () => (random(20) === 0 ? random(300_000) : random(3) === 0 ? random(20_000) : random(200));
  return Array.from({ length: random(5) }, size);
}

export function randomExchange(random: Random): Exchange {
  return {
    headers: randomFields(random, 'x-request'),
    request: randomChunks(random),
    answerHead: [':status', random(10) === 0 ? '404' : '200', ...randomFields(random, 'x-head')],
    answer: randomChunks(random),
    trailers: ['grpc-status', String(random(17)), ...randomFields(random, 'x-trail')],
    resetCode: random(6) === 0 ? 1 + random(13) : undefined,
  };
}

const digest = (chunks: readonly Uint8Array[]) => {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return `${bytes}:${hash.digest('hex').slice(0, 16)}`;
};

/** node:http2 moves the values of a repeated trailer to its first one; their order says nothing else. */
function grouped(fields: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    values[name] ??= [];
    values[name].push(fields[at + 1] as string);
  }
  return values;
}

const chunkOf = (size: number, value: number) => Buffer.alloc(size, value + 1);

/** What both ends have seen of one call. It must not depend on the engine. */
export type Outcome = Record<string, unknown>;

/** Runs exchanges on one connection, some at a time, and returns their outcomes in order. */
export async function runExchanges(
  engines: EnginePair,
  exchanges: readonly Exchange[],
  limits: Partial<H2Limits>,
  concurrency: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = exchanges.map(() => ({}));
  await using pair = await openPair(
    engines,
    (call) => {
      const index = Number(call.headers.at(-1));
      serve(call, exchanges[index] as Exchange, outcomes[index] as Outcome);
    },
    limits,
  );
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < exchanges.length; index = next++) {
      await runCall(pair, exchanges[index] as Exchange, index, outcomes[index] as Outcome);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const endMs = performance.now() + 60_000; pair.server.callCount + pair.client.callCount > 0; ) {
    if (performance.now() > endMs) throw new Error('calls are left over');
    await delay(5);
  }
  if (pair.errors.length > 0) throw new Error(pair.errors.join(', '));
  return outcomes;
}

function serve(call: InboundCall, exchange: Exchange, outcome: Outcome): void {
  const body: Buffer[] = [];
  let next = 0;
  let isOver = false;
  const more = () => {
    while (!isOver) {
      const size = exchange.answer[next];
      if (size === undefined) {
        isOver = true;
        call.finish(exchange.trailers);
        return;
      }
      next += 1;
      if (!call.write(chunkOf(size, next))) return;
    }
  };
  call.receive({
    requestData: (chunk) => body.push(Buffer.from(chunk)),
    requestEnded() {
      outcome.request = { headers: call.headers.slice(0, -2), body: digest(body) };
      if (exchange.resetCode !== undefined) {
        isOver = true;
        call.reset(exchange.resetCode);
        return;
      }
      call.respond(exchange.answerHead);
      more();
    },
    answerDrained: more,
    cancelled: () => {
      isOver = true;
    },
  });
  call.resume();
}

function runCall(
  { client }: { client: Awaited<ReturnType<typeof openPair>>['client'] },
  exchange: Exchange,
  index: number,
  outcome: Outcome,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body: Buffer[] = [];
  let head: readonly string[] | undefined;
  let next = 0;
  let isOver = false;
  const end = (result: Outcome) => {
    isOver = true;
    Object.assign(outcome, result);
    resolve();
  };
  const call = client.openCall([...requestHead, ...exchange.headers, 'x-index', String(index)], {
    answerHeaders(headers, last) {
      head = headers;
      if (last) end({ head, isLast: true });
    },
    answerData: (chunk) => body.push(Buffer.from(chunk)),
    answerEnded: (trailers) => end({ head, body: digest(body), trailers: grouped(trailers) }),
    requestDrained: () => more(),
    failed: (failure) => end({ failure }),
  });
  if (call === undefined) throw new Error('the connection accepts no calls');
  const more = () => {
    while (!isOver) {
      const size = exchange.request[next];
      if (size === undefined) {
        call.end();
        next += 1;
        return;
      }
      next += 1;
      if (!call.write(chunkOf(size, next))) return;
    }
  };
  more();
  return promise;
}
