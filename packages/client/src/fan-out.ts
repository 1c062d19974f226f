import { anySignal } from '@nodewright/async';
import { type CallFault, callFaultFrom } from './call-fault.ts';

/** The result of a call on one node. */
export type NodeResult<T> =
  | { readonly node: string; readonly value: T; readonly fault?: undefined }
  | { readonly node: string; readonly value?: undefined; readonly fault: CallFault };

export interface FanOutOptions {
  /** When aborted, the calls in progress are cancelled and yield a fault of kind `cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

/** A queue between several producers and one consumer. */
class ResultQueue<T> {
  readonly #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  async shift(): Promise<T> {
    while (this.#items.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#items.shift() as T;
  }

  /** Removes and returns all items. */
  takeAll(): T[] {
    return this.#items.splice(0);
  }
}

/**
 * Calls every node at once and yields the results in order of completion. A node that fails yields its fault
 * and does not affect the others. Leaving the loop early cancels the calls in progress.
 */
export async function* fanOut<Node extends { readonly name: string }, T>(
  nodes: readonly Node[],
  call: (node: Node, signal: AbortSignal) => Promise<T>,
  { signal }: FanOutOptions = {},
): AsyncGenerator<NodeResult<T>, void, undefined> {
  yield* fanOutStream(
    nodes,
    async function* single(node, nodeSignal) {
      yield await call(node, nodeSignal);
    },
    { signal },
  );
}

/**
 * Opens a stream on every node at once and yields their items as they arrive. A stream that fails ends with a
 * result that carries its fault. Leaving the loop early cancels all streams.
 */
export async function* fanOutStream<Node extends { readonly name: string }, T>(
  nodes: readonly Node[],
  open: (node: Node, signal: AbortSignal) => AsyncIterable<T>,
  { signal }: FanOutOptions = {},
): AsyncGenerator<NodeResult<T>, void, undefined> {
  const left = new AbortController();
  const combined = anySignal(signal, left.signal);
  const queue = new ResultQueue<{ result?: NodeResult<T>; taken?: () => void }>();

  const drain = async (node: Node): Promise<void> => {
    try {
      for await (const value of open(node, combined)) {
        // Hold at most one item per node: a slow consumer slows the streams down, and memory use stays
        // constant.
        await new Promise<void>((taken) => queue.push({ result: { node: node.name, value }, taken }));
        if (left.signal.aborted) return;
      }
    } catch (error) {
      queue.push({ result: { node: node.name, fault: callFaultFrom(error, node.name) } });
    } finally {
      queue.push({});
    }
  };

  let unfinished = nodes.length;
  let taken: (() => void) | undefined;
  for (const node of nodes) void drain(node);
  try {
    while (unfinished > 0) {
      const item = await queue.shift();
      if (item.result === undefined) {
        unfinished -= 1;
        continue;
      }
      taken = item.taken;
      yield item.result;
      taken?.();
    }
  } finally {
    left.abort();
    taken?.();
    // Release the streams that wait for their item to be consumed, so that they see the abort.
    for (const item of queue.takeAll()) item.taken?.();
  }
}
