// Content of one namespace under a lease: content that is added or found stays until the lease ends or an
// object refers to it.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { anySignal } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Descriptor } from '@nodewright/oci';
import type { NamespaceServices } from './containerd-services.ts';
import { type ContentWriter, openContentWriter } from './content-writer.ts';

type Labels = Readonly<Record<string, string>>;

export interface LeasedContent {
  /** Whether the content exists; from now on the lease holds it. */
  hold(digest: string, signal?: AbortSignal): Promise<boolean>;
  /** Adds small content. If it exists, the labels are added to it. */
  put(descriptor: Descriptor, bytes: Uint8Array, labels: Labels, signal?: AbortSignal): Promise<void>;
  /** Adds the content that `fetch` returns, resumed at the byte where an earlier attempt ended. */
  ingest(init: IngestInit): Promise<void>;
  /** Adds content of unknown digest and returns its descriptor. An expected digest is checked. */
  take(init: TakeInit): Promise<Expected>;
  addLabels(digest: string, labels: Labels, signal?: AbortSignal): Promise<void>;
}

type Expected = Pick<Descriptor, 'digest' | 'size'>;

export interface TakeInit {
  /** A reference that no other pull uses. */
  readonly ref: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly expected?: Expected;
  readonly signal?: AbortSignal;
}

export interface IngestInit {
  readonly descriptor: Descriptor;
  readonly fetch: (offset: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly onProgress: (offset: number) => void;
  readonly signal?: AbortSignal;
}

/** Bytes that are collected for one request. */
const pieceBytes = 256 * 1024;
const lockedPauseMs = 200;

export function createLeasedContent(
  { content, leases }: Pick<NamespaceServices, 'content' | 'leases'>,
  lease: string,
): LeasedContent {
  /** Undefined when another pull has added it in the meantime. */
  async function openWriter(
    ref: string,
    expected: Expected | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ContentWriter | undefined> {
    for (;;) {
      try {
        return await openContentWriter({ content, ref, expected, signal });
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (kind === 'already-exists') return undefined;
        // Another pull is adding it.
        if (kind !== 'unavailable' || !/locked/.test(message)) throw error;
        await sleep(lockedPauseMs, undefined, { signal });
      }
    }
  }

  async function finish(writer: ContentWriter, ref: string, labels: Labels): Promise<string | undefined> {
    try {
      return await writer.commit(labels);
    } catch (error) {
      const { kind } = faultFrom(error);
      if (kind === 'already-exists') return undefined;
      // Wrong content cannot be resumed.
      if (kind === 'data-loss') await abandon(ref, writer);
      throw error;
    }
  }

  async function abandon(ref: string, writer: ContentWriter): Promise<void> {
    await writer[Symbol.asyncDispose]();
    await content.abort({ ref }).catch(() => undefined);
  }

  async function pour(
    writer: ContentWriter,
    bytes: AsyncIterable<Uint8Array>,
    onProgress: (offset: number) => void,
  ) {
    let gathered: Uint8Array[] = [];
    let gatheredBytes = 0;
    const flush = async () => {
      if (gatheredBytes > 0) onProgress(await writer.write(Buffer.concat(gathered)));
      gathered = [];
      gatheredBytes = 0;
    };
    try {
      for await (const piece of bytes) {
        gathered.push(piece);
        gatheredBytes += piece.length;
        if (gatheredBytes >= pieceBytes) await flush();
      }
    } catch (error) {
      // The part that arrived is kept; the caller receives the reason why the rest did not.
      await flush().catch(() => undefined);
      throw writer.lost.aborted ? writer.lost.reason : error;
    }
    await flush();
  }

  async function addLabels(digest: string, labels: Labels, signal?: AbortSignal): Promise<void> {
    const paths = Object.keys(labels).map((name) => `labels.${name}`);
    if (paths.length > 0) await content.update({ info: { digest, labels }, updateMask: paths }, { signal });
  }

  async function hold(digest: string, signal?: AbortSignal): Promise<boolean> {
    // Hold it first, then check: otherwise it could be garbage-collected in between.
    await leases.addResource({ id: lease, resource: { id: digest, type: 'content' } }, { signal });
    try {
      await content.info({ digest }, { signal });
      return true;
    } catch (error) {
      if (faultFrom(error).kind === 'not-found') return false;
      throw error;
    }
  }

  return {
    hold,
    addLabels,
    async put(descriptor, bytes, labels, signal) {
      const { digest } = descriptor;
      if (await hold(digest, signal)) return addLabels(digest, labels, signal);
      const ref = `put-${digest}`;
      await using writer = await openWriter(ref, descriptor, signal);
      if (writer === undefined) return addLabels(digest, labels, signal);
      if (writer.offset < bytes.length) await writer.write(bytes.subarray(writer.offset));
      if ((await finish(writer, ref, labels)) === undefined) await addLabels(digest, labels, signal);
    },
    async ingest({ descriptor, fetch, onProgress, signal }) {
      const { digest, size } = descriptor;
      const ref = `layer-${digest}`;
      await using writer = await openWriter(ref, descriptor, signal);
      if (writer === undefined) return;
      onProgress(writer.offset);
      const wanted = anySignal(signal, writer.lost);
      if (writer.offset < size) await pour(writer, fetch(writer.offset, wanted), onProgress);
      await finish(writer, ref, {});
    },
    async take({ ref, bytes, expected, signal }) {
      const hash = createHash('sha256');
      let size = 0;
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const piece of bytes) {
          hash.update(piece);
          size += piece.length;
          yield piece;
        }
      }
      const isThere = expected !== undefined && (await hold(expected.digest, signal));
      await using writer = isThere ? undefined : await openWriter(ref, expected, signal);
      if (writer === undefined) {
        // The content exists already; the remaining bytes are read and dropped.
        for await (const _ of counted());
      } else {
        try {
          await pour(writer, counted(), () => undefined);
        } catch (error) {
          await abandon(ref, writer);
          throw error;
        }
        await finish(writer, ref, {});
      }
      const digest = `sha256:${hash.digest('hex')}`;
      await hold(digest, signal);
      return { digest, size };
    },
  };
}
