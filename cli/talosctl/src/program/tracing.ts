// The part of the telemetry package that this program imports on demand: only this function.
export { openTelemetry } from '@nodewright/telemetry';
