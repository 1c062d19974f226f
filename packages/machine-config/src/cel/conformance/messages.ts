import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for the well-known messages of protobuf. */
export const messagesRows: ConformanceRows = [
  ['google.protobuf.Int64Value{value: 1}', 'wrapper(int)'],
  ['google.protobuf.Int64Value{value: 1} + 1', 'int'],
  ['google.protobuf.Int64Value{} == 1', 'bool'],
  ['google.protobuf.Int64Value{} == null', 'bool'],
  ["google.protobuf.StringValue{value: 'a'}.size()", 'int'],
  ['[1, google.protobuf.Int64Value{}]', 'list(wrapper(int))'],
  ['[google.protobuf.Int64Value{}, 1]', 'list(wrapper(int))'],
  ['true ? google.protobuf.Int64Value{} : null', 'wrapper(int)'],
  ['google.protobuf.Struct{}.a', 'dyn'],
  ['google.protobuf.ListValue{}.map(x, x)', 'list(dyn)'],
  ['google.protobuf.BoolValue{} ? 1 : 2', 'int'],
  [
    'google.protobuf.Int64Value{} == 1u',
    "! 1:30: found no matching overload for '_==_' applied to '(wrapper(int), uint)'",
  ],
  [
    "google.protobuf.Int64Value{value: 'a'}",
    "! 1:33: expected type of field 'value' is 'int' but provided type is 'string'",
  ],
  [
    'google.protobuf.DoubleValue{value: 1}',
    "! 1:34: expected type of field 'value' is 'double' but provided type is 'int'",
  ],
  [
    'google.protobuf.StringValue{} + 1',
    "! 1:31: found no matching overload for '_+_' applied to '(wrapper(string), int)'",
  ],
  ['google.protobuf.Duration{seconds}', '! 1:33: syntax error: found "}" where ":" is expected'],
  [
    "google.protobuf.Duration{'seconds': 1}",
    '! 1:26: syntax error: found "\'seconds\'" where the name of a field is expected',
  ],
];
