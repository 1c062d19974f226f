import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { decodeOtlpSpans, type ReceivedSpan } from '@nodewright/telemetry/otlp-decode';

/** A collector that keeps what it receives. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  spans(): readonly ReceivedSpan[];
  /**
   * Waits until `isComplete` returns true for the received spans. Throws after `timeoutMs` with the spans
   * that arrived.
   */
  waitFor(
    isComplete: (spans: readonly ReceivedSpan[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly ReceivedSpan[]>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    spans.push(...decodeOtlpSpans(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans: () => spans,
    async waitFor(isComplete, timeoutMs = 15_000) {
      const end = Date.now() + timeoutMs;
      while (!isComplete(spans)) {
        if (Date.now() > end) {
          const seen = spans.map(({ service, name }) => `${service}: ${name}`).join('\n');
          throw new Error(`the expected spans did not arrive within ${timeoutMs} ms; there are:\n${seen}`);
        }
        await sleep(50);
      }
      return spans;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
