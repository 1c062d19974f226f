import type { Attributes } from './span.ts';

export interface TelemetryInit {
  /** `service.name` of the resource; `OTEL_SERVICE_NAME` takes precedence. */
  serviceName: string;
  serviceVersion: string;
  /** The environment with the `OTEL_*` variables. */
  environment: Readonly<Record<string, string | undefined>>;
  /** More resource attributes, for example the host name of the node. */
  attributes?: Attributes;
}
