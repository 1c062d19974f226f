import { join } from 'node:path';
import { type ClusterFolder, spansSocket } from '../cluster/cluster-folder.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { tracesVariable } from '../domain/daemon-environment.ts';
import { spanLimits } from './span-limits.ts';
import { exportPathOf, receiveSpans } from './span-receiver.ts';
import { SpanRing } from './span-ring.ts';
import { serveSpans } from './span-socket.ts';

/**
 * Keeps the newest spans of the nodes of a cluster, where `NODEWRIGHT_TRACES=keep` asks for it and nothing else receives them. The
 * nodes send them to the gateway address of the cluster, so that no node listens for this.
 *
 * @returns the variables with which a node sends its spans; none when nothing is kept
 */
export async function keepSpans(
  environment: Readonly<NodeJS.ProcessEnv>,
  folder: ClusterFolder,
  gateway: string,
  scope: AsyncDisposableStack,
): Promise<(node: string) => Readonly<Record<string, string>>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment;
  if (environment[tracesVariable] !== 'keep') return () => ({});
  if (OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return () => ({});
  const ring = new SpanRing(spanLimits, Date.now() * 1000);
  const { port } = scope.use(
    await receiveSpans(ring, { host: gateway, port: clusterPorts.spans }, spanLimits),
  );
  scope.use(await serveSpans(ring, join(folder.path, spansSocket), spanLimits));
  return (node) => ({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://${gateway}:${port}${exportPathOf(node)}`,
  });
}
