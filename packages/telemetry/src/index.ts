export * from './info-lines.ts';
export * from './logger.ts';
export { createNoTelemetry, createUnsampledTelemetry, noTelemetry } from './no-telemetry.ts';
export { isExportConfigured, openTelemetry } from './open-telemetry.ts';
export type * from './span.ts';
export type * from './telemetry.ts';
export type * from './telemetry-init.ts';
export * from './traceparent.ts';
