import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for types that are used as values. */
export const typesRows: ConformanceRows = [
  ['int', 'type(int)'],
  ['type(1)', 'type(int)'],
  ['type(type(1))', 'type(type(int))'],
  ['type(1) == int', 'bool'],
  ["type(1) == type('a')", 'bool'],
  ['type([1]) == list', 'bool'],
  ['type({}) == map', 'bool'],
  ['type(null) == null_type', 'bool'],
  ['type(1u) in [int, uint]', 'bool'],
  ["{int: 'a'}[string]", 'string'],
  ["type(duration('1s')) == google.protobuf.Duration", 'bool'],
  ['google.protobuf.Timestamp == int', 'bool'],
  ['type(dyn(1))', 'type(dyn)'],
  ['type(optional.of(1)) == optional_type', 'bool'],
  ['int == 1', "! 1:5: found no matching overload for '_==_' applied to '(type(int), int)'"],
  ["type(1) == 'int'", "! 1:9: found no matching overload for '_==_' applied to '(type(int), string)'"],
  ['type(1) < int', "! 1:9: found no matching overload for '_<_' applied to '(type(int), type(int))'"],
  ['type()', "! 1:5: found no matching overload for 'type' applied to '()'"],
  ['type(1, 2)', "! 1:5: found no matching overload for 'type' applied to '(int, int)'"],
  ['timestamp == int', '! 1:1: undeclared reference to "timestamp"'],
  ['dyn', '! 1:1: undeclared reference to "dyn"'],
  ['list(int)', '! 1:5: undeclared reference to "list"'],
  ['google.protobuf', '! 1:1: undeclared reference to "google"'],
  ['google.nosuch.Type', '! 1:1: undeclared reference to "google"'],
];
