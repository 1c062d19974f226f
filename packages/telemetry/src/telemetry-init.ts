import type { Attributes } from './span.ts';

export interface TelemetryInit {
  /** `service.name` of the resource; `OTEL_SERVICE_NAME` wins over it. */
  serviceName: string;
  serviceVersion: string;
  /** Where the `OTEL_*` variables are read from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** More resource attributes, for example the host name of the node. */
  attributes?: Attributes;
}
