export interface TelemetryInit {
  /** `service.name` of the resource; `OTEL_SERVICE_NAME` takes precedence. */
  serviceName: string;
  serviceVersion: string;
  /** The environment with the `OTEL_*` variables. */
  environment: Readonly<Record<string, string | undefined>>;
}
