// A door of its own to the telemetry package: it is imported lazily, and only this one function comes with it.
export { openTelemetry } from '@nodewright/telemetry';
