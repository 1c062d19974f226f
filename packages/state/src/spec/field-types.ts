// The types of fields in specs, with their YAML and protobuf encodings. Source: Talos v1.14: COSI encoding.
export * from './address-types.ts';
export * from './certificate-types.ts';
export * from './composite-types.ts';
export * from './enumeration-types.ts';
export * from './field.ts';
export type { FieldType, TypeShape, ValueOf } from './field-type.ts';
export * from './json-object-type.ts';
export * from './mount-type.ts';
export {
  base64Text,
  bool,
  bytes,
  cel,
  double,
  int,
  int32,
  int64,
  mode,
  text,
  textBytes,
  uint,
  uint8,
  uint16,
  uint32,
  uint64,
} from './scalar-types.ts';
export * from './time-types.ts';
export * from './url-type.ts';
