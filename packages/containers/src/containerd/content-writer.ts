import { anySignal } from '@nodewright/async';
import {
  WriteAction,
  type WriteContentRequest,
  type WriteContentResponse,
} from '@nodewright/contract/gen/containerd/services/content/v1/content.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { writeLimitMs } from './call-limits.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { createRequestQueue } from './request-queue.ts';

export interface ContentWriterInit {
  readonly content: NamespaceServices['content'];
  /** Locked while the writer is open; what is written under it stays until it is committed or thrown away. */
  readonly ref: string;
  /** Digest and size that the whole should have, where they are known. */
  readonly expected?: { readonly digest: string; readonly size: number };
  readonly signal?: AbortSignal;
}

/** A piece of content on its way in. Disposing without a commit leaves it there, to be gone on with. */
export interface ContentWriter extends AsyncDisposable {
  /** Bytes that are there already: go on from here. */
  readonly offset: number;
  /** Aborted, with the Fault as its reason, when containerd gives the write up: nobody need bring more bytes. */
  readonly lost: AbortSignal;
  /** Yields how many bytes are there now. */
  write(data: Uint8Array): Promise<number>;
  /** Yields the digest. `data-loss` when the whole is not what was expected. */
  commit(labels?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Opens content for writing.
 *
 * @throws Fault `already-exists` when content with the expected digest is there; `unavailable` when another writes it
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

  /** Awaited before it is asked for: who waits for bytes learns at once that containerd has died. */
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
    // That of a commit is the last.
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
