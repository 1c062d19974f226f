/**
 * A type of CEL. Kind `value` is a built-in type with its parameters, such as `int` or `list(int)`. Kind
 * `message` is a protobuf message by its full name. Kind `variable` is a type that is not known yet.
 *
 * Source: Common Expression Language, language definition, values and gradual type checking.
 */
export interface Type {
  readonly kind: 'value' | 'message' | 'variable';
  readonly name: string;
  readonly parameters: readonly Type[];
}

/** The number of parameters of each parameterized type. */
export const parameterCounts: Readonly<Record<string, number>> = {
  list: 1,
  map: 2,
  type: 1,
  optional_type: 1,
  wrapper: 1,
};

/** The types without parameters. */
export const plainTypeNames = [
  ...['bool', 'int', 'uint', 'double', 'string', 'bytes', 'null_type'],
  ...['timestamp', 'duration', 'dyn', 'error'],
] as const;

export type PlainTypeName = (typeof plainTypeNames)[number];

const plain = Object.fromEntries(
  plainTypeNames.map((name) => [name, { kind: 'value', name, parameters: [] }]),
) as unknown as Readonly<Record<PlainTypeName, Type>>;

export const plainType = (name: PlainTypeName): Type => plain[name];

const generic =
  (name: string) =>
  (...parameters: Type[]): Type => ({ kind: 'value', name, parameters });

export const listType: (item: Type) => Type = generic('list');
export const mapType: (key: Type, value: Type) => Type = generic('map');
export const optionalType: (value: Type) => Type = generic('optional_type');
/** The type of a type: `type(int)` is the type of `int`. */
export const typeType: (of: Type) => Type = generic('type');
/** A number, string or boolean that may be null, like the wrapper messages of protobuf. */
export const wrapperType: (of: Type) => Type = generic('wrapper');

export const messageType = (name: string): Type => ({ kind: 'message', name, parameters: [] });
export const typeVariable = (name: string): Type => ({ kind: 'variable', name, parameters: [] });

/**
 * Whether values of the type are checked only at run time. `error` is the type of a part whose problem is
 * already reported.
 */
export const isDynamic = ({ kind, name }: Type): boolean =>
  kind === 'value' && (name === 'dyn' || name === 'error');

/** Returns the type parameter at an index, or `dyn` when it does not exist. */
export const parameter = ({ parameters }: Type, index: number): Type => parameters[index] ?? plain.dyn;
