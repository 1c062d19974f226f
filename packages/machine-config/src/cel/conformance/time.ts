import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for timestamps and durations. */
export const timeRows: ConformanceRows = [
  ["duration('1h') + duration('30m')", 'duration'],
  ["duration('1h') - duration('30m') > duration('1s')", 'bool'],
  ["timestamp('2026-01-01T00:00:00Z')", 'timestamp'],
  ["timestamp(0) + duration('1s')", 'timestamp'],
  ["duration('1s') + timestamp(0)", 'timestamp'],
  ["timestamp(0) - duration('1s')", 'timestamp'],
  ['timestamp(1) - timestamp(0)', 'duration'],
  ['timestamp(0) < timestamp(1)', 'bool'],
  ['timestamp(0).getFullYear()', 'int'],
  ["timestamp(0).getHours('Europe/Berlin')", 'int'],
  ['timestamp(0).getDayOfWeek() + timestamp(0).getDate()', 'int'],
  ['time_since_trigger.getSeconds() > 5', 'bool'],
  ['time_since_trigger.getMilliseconds()', 'int'],
  ["int(timestamp(0)) + int(duration('1s'))", 'int'],
  ["string(duration('1s')) + string(timestamp(0))", 'string'],
  ["duration(duration('1s')) == time_since_trigger", 'bool'],
  ['google.protobuf.Duration{seconds: 1}', 'duration'],
  ['google.protobuf.Timestamp{seconds: 1, nanos: 2}', 'timestamp'],
  ['google.protobuf.Timestamp{}', 'timestamp'],
  [
    'timestamp(0) + timestamp(1)',
    "! 1:14: found no matching overload for '_+_' applied to '(timestamp, timestamp)'",
  ],
  ['timestamp(0) + 1', "! 1:14: found no matching overload for '_+_' applied to '(timestamp, int)'"],
  [
    "duration('1s') - timestamp(0)",
    "! 1:16: found no matching overload for '_-_' applied to '(duration, timestamp)'",
  ],
  ["duration('1s') * 2", "! 1:16: found no matching overload for '_*_' applied to '(duration, int)'"],
  ["-duration('1s')", "! 1:1: found no matching overload for '-_' applied to '(duration)'"],
  ["duration('1s') > 1", "! 1:16: found no matching overload for '_>_' applied to '(duration, int)'"],
  [
    "duration('1s') == timestamp(0)",
    "! 1:16: found no matching overload for '_==_' applied to '(duration, timestamp)'",
  ],
  ['duration(1)', "! 1:9: found no matching overload for 'duration' applied to '(int)'"],
  ['timestamp(1.5)', "! 1:10: found no matching overload for 'timestamp' applied to '(double)'"],
  ['timestamp(0).seconds', "! 1:13: type 'timestamp' does not support field selection"],
  [
    'time_since_trigger.getFullYear()',
    "! 1:31: found no matching overload for 'getFullYear' applied to 'duration.()'",
  ],
  [
    "time_since_trigger.getSeconds('UTC')",
    "! 1:30: found no matching overload for 'getSeconds' applied to 'duration.(string)'",
  ],
  [
    'timestamp(0).getHours(1)',
    "! 1:22: found no matching overload for 'getHours' applied to 'timestamp.(int)'",
  ],
  [
    "google.protobuf.Duration{seconds: 'a'}",
    "! 1:33: expected type of field 'seconds' is 'int' but provided type is 'string'",
  ],
  ['google.protobuf.Duration{hours: 1}', '! 1:31: undefined field "hours"'],
  [
    'google.protobuf.Duration{seconds: 1u}',
    "! 1:33: expected type of field 'seconds' is 'int' but provided type is 'uint'",
  ],
  ['google.protobuf.Nosuch{}', '! 1:23: undeclared reference to "google.protobuf.Nosuch"'],
];
