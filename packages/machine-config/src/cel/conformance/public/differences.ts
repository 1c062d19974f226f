/** Tests of which a verdict differs from that of the data, by their names, with the reason. */
export type Differences = readonly (readonly [reason: string, tests: readonly string[]])[];

export const checkerDifferences: Differences = [
  [
    'cel-go refuses 32 levels of brackets in this data, and the checker more than 250',
    ['conformance/parse/nest/parens'],
  ],
  [
    'the data does not have the messages and settings with which cel-go refuses them, so the values are dynamic here',
    [
      'checking/x.single_int32 != null',
      'checking/x.single_nested_message.undefined == x.undefined && has(x.single_int32) && has(x.repeated_int32)',
      'checking/x.single_int64 != null',
    ],
  ],
];

export const evaluatorDifferences: Differences = [
  [
    'the library takes 0 and 0u for different keys of a map literal, and finds the first of them by 0.0; the checker refuses such a map',
    ['conformance/fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous'],
  ],
];
