import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for ranking expressions of the OOM handler, including the Talos default. */
export const oomRankingRows: ConformanceRows = [
  [
    'memory_max.hasValue() ? 0.0 : ({Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class] * double(memory_current.orValue(0u)))',
    'double',
  ],
  [
    'memory_max.hasValue() ? 0.0 : ({Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class] * double(memory_current.orValue(0u)) / double(memory_peak.orValue(0u) - memory_current.orValue(0u)))',
    'double',
  ],
  ["path.startsWith('/kubepods') ? double(memory_current.value()) : 0.0", 'double'],
  ['class == Burstable ? 1.0 : 2.0', 'double'],
  ['memory_current.optMap(bytes_used, double(bytes_used)).orValue(0.0)', 'double'],
  ['double(memory_current.orValue(0u)) / double(1u * GiB)', 'double'],
  [
    'memory_current.orValue(0)',
    "! 1:23: found no matching overload for 'orValue' applied to 'optional_type(uint).(int)'",
  ],
  [
    'double(memory_current)',
    "! 1:7: found no matching overload for 'double' applied to '(optional_type(uint))'",
  ],
  [
    'memory_current * 1.0',
    "! 1:16: found no matching overload for '_*_' applied to '(optional_type(uint), double)'",
  ],
  [
    'memory_current > 0u',
    "! 1:16: found no matching overload for '_>_' applied to '(optional_type(uint), uint)'",
  ],
  [
    'memory_max.hasValue() ? 0 : 1.0',
    "! 1:23: found no matching overload for '_?_:_' applied to '(bool, int, double)': number types cannot be mixed: a double has a point, as in 12.0",
  ],
  [
    'memory_max.hasValue ? 0.0 : 1.0',
    "! 1:11: type 'uint' does not support field selection; 1:21: found no matching overload for '_?_:_' applied to '(optional_type(dyn), double, double)'",
  ],
  [
    'memory_max.value() * 1.5',
    "! 1:20: found no matching overload for '_*_' applied to '(uint, double)': number types cannot be mixed: an unsigned number ends in u, as in 120u; a double has a point, as in 12.0",
  ],
  [
    '{Besteffort: 1.0}[path]',
    "! 1:18: found no matching overload for '_[_]' applied to '(map(int, double), string)'",
  ],
  ['1', 'int'],
  ["'high'", 'string'],
  ['memory_full_avg10', '! 1:1: undeclared reference to "memory_full_avg10"'],
  ['time_since_trigger', '! 1:1: undeclared reference to "time_since_trigger"'],
  ['dyn(1.0)', 'dyn'],
];
