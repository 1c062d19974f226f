import { nodeInSpans } from './node-in-spans.ts';

/**
 * Settings of every container: only mounts can be written, and there are no capabilities.
 *
 * @param securityOptions of the engine, such as `no-new-privileges:true`
 */
export const lockedContainer = (...securityOptions: readonly string[]) => ({
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: securityOptions,
  restart: 'unless-stopped',
  stop_grace_period: '30s',
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '2' } },
});

/** Where the programs of a stack send traces. */
export const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: endpointAt('jaeger') };

/**
 * Where the programs of a node send traces, and the name of the node in them.
 *
 * @param host its address, for programs that do not ask the name server of the engine
 */
export function tracingOf(node: string, host = 'jaeger') {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpointAt(host), ...nodeInSpans(node) };
}

function endpointAt(host: string): string {
  return `http://${host}:4318`;
}
