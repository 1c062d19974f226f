/**
 * Each row is an expression and its type, or `! ` and the reason why it is rejected.
 *
 * The rows cover, in our own words, the public conformance tests of the Common Expression Language. Each
 * result was compared once with that of talosctl v1.13.9.
 */
export type ConformanceRows = readonly (readonly [expression: string, outcome: string])[];
