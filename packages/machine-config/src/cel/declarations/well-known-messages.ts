/** A well-known message of protobuf: its type in CEL, and the fields that a literal may set. */
export interface WellKnownMessage {
  readonly type: string;
  readonly fields: Readonly<Record<string, string>>;
}

const seconds = { seconds: 'int', nanos: 'int' };

const wrapper = (type: string): WellKnownMessage => ({
  type: `wrapper(${type})`,
  fields: { value: type },
});

/** Source: Common Expression Language, language definition, protocol buffer data conversion. */
export const wellKnownMessages: Readonly<Record<string, WellKnownMessage>> = {
  'google.protobuf.Timestamp': { type: 'timestamp', fields: seconds },
  'google.protobuf.Duration': { type: 'duration', fields: seconds },
  'google.protobuf.Struct': { type: 'map(string, dyn)', fields: { fields: 'map(string, dyn)' } },
  'google.protobuf.ListValue': { type: 'list(dyn)', fields: { values: 'list(dyn)' } },
  'google.protobuf.Any': { type: 'dyn', fields: { type_url: 'string', value: 'bytes' } },
  'google.protobuf.Value': {
    type: 'dyn',
    fields: {
      // Null, or the constant NULL_VALUE, which is an int.
      null_value: 'dyn',
      ...{ number_value: 'double', string_value: 'string', bool_value: 'bool' },
      ...{ struct_value: 'map(string, dyn)', list_value: 'list(dyn)' },
    },
  },
  'google.protobuf.BoolValue': wrapper('bool'),
  'google.protobuf.BytesValue': wrapper('bytes'),
  'google.protobuf.DoubleValue': wrapper('double'),
  'google.protobuf.FloatValue': wrapper('double'),
  'google.protobuf.Int32Value': wrapper('int'),
  'google.protobuf.Int64Value': wrapper('int'),
  'google.protobuf.StringValue': wrapper('string'),
  'google.protobuf.UInt32Value': wrapper('uint'),
  'google.protobuf.UInt64Value': wrapper('uint'),
};
