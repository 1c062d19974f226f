export interface TelemetryInit {
  /** `service.name` of the resource; `OTEL_SERVICE_NAME` takes precedence. */
  serviceName: string;
  serviceVersion: string;
  /** The environment with the `OTEL_*` variables. */
  environment: Readonly<Record<string, string | undefined>>;
  /**
   * Called once at the end when the collector refused connections, so that the last spans are lost, with its scheme, host and port: an
   * endpoint may have a password.
   */
  onRefused?: (endpoint: string) => void;
}
