/**
 * A type of CEL. `value` is a type by its name with its parameters: `int`, `list(int)`. `message` is a protobuf message
 * by its full name. `variable` stands for a type that is not known yet.
 *
 * Source: Common Expression Language, language definition, values and gradual type checking.
 */
export interface Type {
  readonly kind: 'value' | 'message' | 'variable';
  readonly name: string;
  readonly parameters: readonly Type[];
}

/** The types with parameters, and how many. */
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
/** A number, text or boolean that may be null, as the wrapper messages of protobuf are. */
export const wrapperType: (of: Type) => Type = generic('wrapper');

export const messageType = (name: string): Type => ({ kind: 'message', name, parameters: [] });
export const typeVariable = (name: string): Type => ({ kind: 'variable', name, parameters: [] });

/** Values of these are checked when the expression runs, not before. `error` follows a problem reported already. */
export const isDynamic = ({ kind, name }: Type): boolean =>
  kind === 'value' && (name === 'dyn' || name === 'error');

/** The type of a parameter by its place; `dyn` where there is none. */
export const parameter = ({ parameters }: Type, index: number): Type => parameters[index] ?? plain.dyn;
