import assert from 'node:assert/strict';
import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';
import { grpcCodeName } from '@nodewright/fault';
import { Skip } from '../check.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';

/** All messages of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** All data of a stream of `common.Data`, as bytes. */
export async function collectBytes(stream: AsyncIterable<{ bytes: Uint8Array }>): Promise<Buffer> {
  return Buffer.concat((await collect(stream)).map(({ bytes }) => bytes));
}

/** Reads a stream to its end. */
export async function drain(stream: AsyncIterable<unknown>, onMessage = () => {}): Promise<void> {
  for await (const _ of stream) onMessage();
}

/**
 * The messages until none has arrived for `quietMs`; then the stream is cancelled. For streams that do not
 * end.
 *
 * @param firstMs time limit for the first message, because a busy machine is slow to begin
 */
export async function collectUntilQuiet<T>(
  stream: AsyncIterable<T> & { cancel(): void },
  quietMs: number,
  firstMs = 10 * quietMs,
): Promise<T[]> {
  const items: T[] = [];
  let timer = setTimeout(() => stream.cancel(), firstMs);
  try {
    for await (const item of stream) {
      items.push(item);
      clearTimeout(timer);
      timer = setTimeout(() => stream.cancel(), quietMs);
    }
  } finally {
    clearTimeout(timer);
  }
  return items;
}

/** The messages up to the first for which `isLast` holds, or all that arrive within 30 s; then the stream is cancelled. */
export async function collectUntil<T>(
  stream: AsyncIterable<T> & { cancel(): void },
  isLast: (message: T) => boolean,
): Promise<T[]> {
  const items: T[] = [];
  const timer = setTimeout(() => stream.cancel(), 30_000);
  try {
    for await (const item of stream) {
      items.push(item);
      if (isLast(item)) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return items;
}

/** The same promise, whose failure ends nothing before it is awaited: other calls of the check may fail first. */
export function whenAwaited<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The first `count` messages of a stream, which is then cancelled. */
export async function take<T>(stream: AsyncIterable<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
}

/**
 * The call must fail with one of these codes and a matching text. An unexpected UNIMPLEMENTED is rethrown.
 */
export async function expectFailure(
  call: Promise<unknown>,
  expected: number | readonly number[],
  text = /(?:)/,
): Promise<CallFailure> {
  const accepted = typeof expected === 'number' ? [expected] : expected;
  const failure = await call.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof CallFailure) return error;
      throw error;
    },
  );
  const names = accepted.map(grpcCodeName).join(' or ');
  assert.ok(failure !== undefined, `the call ended with OK, ${names} was expected`);
  if (failure.code === codes.unimplemented && !accepted.includes(codes.unimplemented)) throw failure;
  assert.ok(accepted.includes(failure.code), `the call ended with ${failure.message}, ${names} was expected`);
  assert.match(failure.text, text, `${names} has the text "${failure.text}", ${text} was expected`);
  return failure;
}

/** The only element that a unary reply has. */
export function only<T>({ messages }: { readonly messages: readonly T[] }): T {
  assert.equal(messages.length, 1, `the reply has ${messages.length} messages, it must have one`);
  return messages[0] as T;
}

/** Matches how nodes say that their surroundings deny a kernel device. The rest of the text is free. */
const keptDevice = /^error opening \/dev\/kmsg reader: .|operation not permitted|CAP_NET_RAW/i;

/** Awaits a call that needs a kernel device. Throws a Skip when the node reports that it may not use it. */
export async function orSkip<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallFailure && keptDevice.test(error.text)) {
      throw new Skip(`the node lacks a feature that this check needs: ${error.text}`);
    }
    throw error;
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Byte by byte, as Go compares strings. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Milliseconds since the Unix epoch, with fractions; NaN when the time is missing. */
export function unixMs(timestamp: Timestamp | undefined): number {
  if (timestamp === undefined) return Number.NaN;
  return Number(timestamp.seconds) * 1000 + timestamp.nanos / 1e6;
}
