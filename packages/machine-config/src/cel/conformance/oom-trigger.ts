import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for trigger expressions of the OOM handler, including the Talos defaults. */
export const oomTriggerRows: ConformanceRows = [
  ["memory_full_avg10 > 12.0 && time_since_trigger > duration('500ms')", 'bool'],
  ["memory_full_avg10 > 12.0 && d_memory_full_avg10 > 0.0 && time_since_trigger > duration('500ms')", 'bool'],
  [
    "multiply_qos_vectors(d_qos_memory_full_total, {System: 8.0, Podruntime: 4.0}) > 3000.0 && multiply_qos_vectors(qos_memory_full_avg10, {System: 1.0, Podruntime: 1.0}) > 5.0 || memory_full_avg10 > 75.0 && time_since_trigger > duration('10s')",
    'bool',
  ],
  ['qos_memory_current[System] > double(2u * GiB)', 'bool'],
  ['d_qos_memory_some_avg300[Burstable]', 'double'],
  [
    'memory_full_avg10 > 12',
    "! 1:19: found no matching overload for '_>_' applied to '(double, int)': number types cannot be mixed: a double has a point, as in 12.0",
  ],
  [
    'memory_full_avg10 > 12u',
    "! 1:19: found no matching overload for '_>_' applied to '(double, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u; a double has a point, as in 12.0",
  ],
  ['memory_full_avg10', 'double'],
  [
    "time_since_trigger > '500ms'",
    "! 1:20: found no matching overload for '_>_' applied to '(duration, string)'",
  ],
  ['time_since_trigger > 500', "! 1:20: found no matching overload for '_>_' applied to '(duration, int)'"],
  [
    'duration(500) < time_since_trigger',
    "! 1:9: found no matching overload for 'duration' applied to '(int)'",
  ],
  ['memory_pressure > 1.0', '! 1:1: undeclared reference to "memory_pressure"'],
  [
    'qos_memory_full_avg10 > 1.0',
    "! 1:23: found no matching overload for '_>_' applied to '(map(int, double), double)'",
  ],
  [
    "qos_memory_full_avg10['System']",
    "! 1:22: found no matching overload for '_[_]' applied to '(map(int, double), string)'",
  ],
  [
    'multiply_qos_vectors(qos_memory_full_avg10)',
    "! 1:21: found no matching overload for 'multiply_qos_vectors' applied to '(map(int, double))'",
  ],
  [
    'multiply_qos_vectors(qos_memory_full_avg10, {System: 1})',
    "! 1:21: found no matching overload for 'multiply_qos_vectors' applied to '(map(int, double), map(int, int))'",
  ],
  ["multiply_qos_vectors(qos_memory_full_avg10, {'System': 1.0})", 'double'],
  ['memory_max.hasValue()', '! 1:1: undeclared reference to "memory_max"'],
  ['class == System', '! 1:1: undeclared reference to "class"'],
];
