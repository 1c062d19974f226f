/** A queue of requests for one reader, until it is ended. */
export interface RequestQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  end(): void;
}

export function createRequestQueue<T>(): RequestQueue<T> {
  const values: T[] = [];
  let ended = false;
  let wake = Promise.withResolvers<void>();
  const notify = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    push(value) {
      values.push(value);
      notify();
    },
    end() {
      ended = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let value = values.shift(); value !== undefined; value = values.shift()) yield value;
        if (ended) return;
        await wake.promise;
      }
    },
  };
}
