/**
 * An expression, and its type or, after `! `, the reason for which it is refused.
 *
 * The rows say in our own words what the public conformance tests of the Common Expression Language ask for. Each was
 * compared once with what talosctl v1.13.9 says of it.
 */
export type ConformanceRows = readonly (readonly [expression: string, outcome: string])[];
