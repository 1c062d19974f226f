import { connect } from 'node:net';
import type { TelemetryInit } from './telemetry-init.ts';

/** Ports of an endpoint without one. Source: RFC 9110, section 4.2. */
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * The endpoint to which traces go. Undefined when none is set, when the setting is no URL, and when Node.js sends requests through a proxy,
 * which makes the connection instead of this process.
 */
export function traceEndpoint(environment: TelemetryInit['environment']): URL | undefined {
  if (environment.NODE_USE_ENV_PROXY === '1') return undefined;
  const text = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  return (text && URL.parse(text)) || undefined;
}

/** Whether a server refuses a connection within `timeoutMs`. One that answers later, or not at all, does not count as refusing. */
export function refusesConnections({ protocol, hostname, port }: URL, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
  });
  const timer = setTimeout(() => resolve(false), timeoutMs);
  socket.once('connect', () => resolve(false));
  socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
