import { anySignal } from '@nodewright/async';
import {
  WriteAction,
  type WriteContentRequest,
  type WriteContentResponse,
} from '@nodewright/containers/containerd-contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { writeLimitMs } from './call-limits.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { createRequestQueue } from './request-queue.ts';

export interface ContentWriterInit {
  readonly content: NamespaceServices['content'];
  /** Locked while the writer is open. The content under it stays until it is committed or discarded. */
  readonly ref: string;
  /** Expected digest and size, if they are known. */
  readonly expected?: { readonly digest: string; readonly size: number };
  readonly signal?: AbortSignal;
}

/** Content that is being written. Disposing of it without a commit keeps the part for a later resume. */
export interface ContentWriter extends AsyncDisposable {
  /** Number of bytes that exist already: continue from here. */
  readonly offset: number;
  /** Aborts, with the Fault as its reason, when containerd ends the write: then no more bytes are needed. */
  readonly lost: AbortSignal;
  /** Returns the number of bytes so far. */
  write(data: Uint8Array): Promise<number>;
  /** Returns the digest. `data-loss` when the content does not match the expected digest or size. */
  commit(labels?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Opens content for writing.
 *
 * @throws Fault `already-exists` when content with the expected digest exists; `unavailable` when another
 * process writes it
 */
export async function openContentWriter({
  content,
  ref,
  expected,
  signal,
}: ContentWriterInit): Promise<ContentWriter> {
  const requests = createRequestQueue<WriteContentRequest>();
  const stop = new AbortController();
  const lost = new AbortController();
  const answers = content.write(requests, { signal: anySignal(signal, stop.signal) })[Symbol.asyncIterator]();
  const common = { ref, total: BigInt(expected?.size ?? 0), expected: expected?.digest ?? '' };

  /**
   * Read before it is needed, so that a caller that waits for bytes learns at once that containerd has died.
   */
  let coming: Promise<WriteContentResponse>;
  function expectAnswer(): void {
    coming = answers.next().then(({ value, done }) => {
      if (done !== true) return value;
      throw new Fault('unavailable', 'containerd ended a write that was not finished');
    });
    coming.catch((error) => lost.abort(faultFrom(error)));
  }

  async function ask(request: Partial<WriteContentRequest>): Promise<WriteContentResponse> {
    const blank = { action: WriteAction.STAT, offset: 0n, data: Buffer.alloc(0), labels: {} };
    requests.push({ ...blank, ...common, ...request });
    const answer = await nextAnswer();
    // The response to a commit is the last one.
    if (request.action !== WriteAction.COMMIT) expectAnswer();
    return answer;
  }

  async function nextAnswer() {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop.abort();
    }, writeLimitMs);
    try {
      return await coming;
    } catch (error) {
      if (!isLate || signal?.aborted === true) throw error;
      const text = `containerd has not answered Content/Write within ${writeLimitMs / 1000}s: it hangs, or its disk does`;
      throw new Fault('deadline-exceeded', text, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async function close(): Promise<void> {
    requests.end();
    stop.abort();
    await answers.return?.(undefined).catch(() => undefined);
  }

  let offset: number;
  expectAnswer();
  try {
    offset = Number((await ask({})).offset);
  } catch (error) {
    await close();
    throw error;
  }
  const start = offset;
  return {
    offset: start,
    lost: lost.signal,
    async write(data) {
      const answer = await ask({
        action: WriteAction.WRITE,
        offset: BigInt(offset),
        data: Buffer.from(data.buffer, data.byteOffset, data.length),
      });
      offset = Number(answer.offset);
      return offset;
    },
    async commit(labels = {}) {
      const { digest } = await ask({ action: WriteAction.COMMIT, offset: BigInt(offset), labels });
      return digest;
    },
    [Symbol.asyncDispose]: close,
  };
}
