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
export const tracing = tracingTo('jaeger');

/** The same by an address, for programs that do not ask the name server of the engine. */
export function tracingTo(host: string) {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}:4318` };
}
