import { anySignal } from '@nodewright/async';
import { type CallFault, callFaultFrom } from './call-fault.ts';

/** What became of a call on one node. */
export type NodeResult<T> =
  | { readonly node: string; readonly value: T; readonly fault?: undefined }
  | { readonly node: string; readonly value?: undefined; readonly fault: CallFault };

export interface FanOutOptions {
  /** Aborted: calls under way are cancelled, and come out as results with a fault of kind `cancelled`. */
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

  /** Empties the queue. */
  takeAll(): T[] {
    return this.#items.splice(0);
  }
}

/**
 * Calls every node at once and gives the results in the order in which they come. A failing node yields its fault and
 * costs the others nothing. Leaving the loop early cancels what is still under way.
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
 * Opens a stream on every node at once and gives their items as they come. A stream that fails ends with one result
 * that carries its fault. Leaving the loop early cancels all of them.
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
        // One item a node waits at most: a consumer that is slow slows the nodes down, and memory stays flat.
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
    // Whoever still waits for its item to be taken finds that nobody wants more.
    for (const item of queue.takeAll()) item.taken?.();
  }
}
