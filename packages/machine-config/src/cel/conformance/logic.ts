import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for logical operators, conditional expressions and null. */
export const logicRows: ConformanceRows = [
  ['true && false || !true', 'bool'],
  ['memory_full_avg10 > 1.0 && memory_some_avg10 > 2.0 && true', 'bool'],
  ['true ? 1 : 2', 'int'],
  ["true ? 'a' : 'b'", 'string'],
  ['true ? [] : [1]', 'list(int)'],
  ['true ? {} : {1: 2}', 'map(int, int)'],
  ["true ? null : duration('1s')", 'null'],
  ["true ? duration('1s') : null", 'duration'],
  ['null == null', 'bool'],
  ["null == duration('1s')", 'bool'],
  ['timestamp(0) != null', 'bool'],
  ['null == optional.of(1)', 'bool'],
  ['true == (1 < 2)', 'bool'],
  ['true < false', 'bool'],
  ['1 && true', "! 1:1: expected type 'bool' but found 'int'"],
  ['true && 1', "! 1:9: expected type 'bool' but found 'int'"],
  ["true || 'a'", "! 1:9: expected type 'bool' but found 'string'"],
  ["'a' || true", "! 1:1: expected type 'bool' but found 'string'"],
  ["!'a'", "! 1:1: found no matching overload for '!_' applied to '(string)'"],
  ['1 ? 2 : 3', "! 1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ["true ? 1 : 'a'", "! 1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  [
    'true ? 1 : 2u',
    "! 1:6: found no matching overload for '_?_:_' applied to '(bool, int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  ['true ? 1 : null', "! 1:6: found no matching overload for '_?_:_' applied to '(bool, int, null)'"],
  [
    "true ? [1] : ['a']",
    "! 1:6: found no matching overload for '_?_:_' applied to '(bool, list(int), list(string))'",
  ],
  ['null == 1', "! 1:6: found no matching overload for '_==_' applied to '(null, int)'"],
  ["'a' == null", "! 1:5: found no matching overload for '_==_' applied to '(string, null)'"],
  ['true == 1', "! 1:6: found no matching overload for '_==_' applied to '(bool, int)'"],
  ['true + false', "! 1:6: found no matching overload for '_+_' applied to '(bool, bool)'"],
];
