/**
 * Overloads of each function in CEL notation: `(string) -> int` for a function, `string.() -> int` for a
 * method.
 */
export type FunctionDeclarations = Readonly<Record<string, readonly string[]>>;

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const comparison = ordered.map((type) => `(${type}, ${type}) -> bool`);
const equality = ['(A, A) -> bool'];

const sums = (types: readonly string[]) => types.map((type) => `(${type}, ${type}) -> ${type}`);
const ofDate = ['timestamp.() -> int', 'timestamp.(string) -> int'];
const ofTime = [...ofDate, 'duration.() -> int'];
const search = ['string.(string) -> bool'];

const conversions = (result: string, ...values: string[]) => values.map((value) => `(${value}) -> ${result}`);

/** Source: Common Expression Language, language definition, list of standard definitions. */
export const standardFunctions: FunctionDeclarations = {
  '_?_:_': ['(bool, A, A) -> A'],
  '!_': ['(bool) -> bool'],
  '-_': ['(int) -> int', '(double) -> double'],
  '_==_': equality,
  '_!=_': equality,
  '_<_': comparison,
  '_<=_': comparison,
  '_>_': comparison,
  '_>=_': comparison,
  '_+_': [
    ...sums(['int', 'uint', 'double', 'string', 'bytes', 'list(A)', 'duration']),
    '(timestamp, duration) -> timestamp',
    '(duration, timestamp) -> timestamp',
  ],
  '_-_': [
    ...sums(['int', 'uint', 'double', 'duration']),
    '(timestamp, timestamp) -> duration',
    '(timestamp, duration) -> timestamp',
  ],
  '_*_': sums(['int', 'uint', 'double']),
  '_/_': sums(['int', 'uint', 'double']),
  '_%_': sums(['int', 'uint']),
  '@in': ['(A, list(A)) -> bool', '(A, map(A, B)) -> bool'],
  '_[_]': ['(list(A), int) -> A', '(map(A, B), A) -> B'],
  size: ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => [
    `(${type}) -> int`,
    `${type}.() -> int`,
  ]),
  type: ['(A) -> type(A)'],
  dyn: ['(A) -> dyn'],
  bool: conversions('bool', 'bool', 'string'),
  int: conversions('int', 'int', 'uint', 'double', 'string', 'timestamp', 'duration'),
  uint: conversions('uint', 'uint', 'int', 'double', 'string'),
  double: conversions('double', 'double', 'int', 'uint', 'string'),
  string: conversions('string', ...ordered),
  bytes: conversions('bytes', 'bytes', 'string'),
  timestamp: conversions('timestamp', 'timestamp', 'int', 'string'),
  duration: conversions('duration', 'duration', 'string'),
  contains: search,
  startsWith: search,
  endsWith: search,
  matches: ['(string, string) -> bool', ...search],
  getFullYear: ofDate,
  getMonth: ofDate,
  getDayOfYear: ofDate,
  getDayOfMonth: ofDate,
  getDate: ofDate,
  getDayOfWeek: ofDate,
  getHours: ofTime,
  getMinutes: ofTime,
  getSeconds: ofTime,
  getMilliseconds: ofTime,
};

/** Source: Common Expression Language, optional values; Talos v1.14: OOM configuration. */
export const optionalFunctions: FunctionDeclarations = {
  'optional.of': ['(A) -> optional_type(A)'],
  'optional.ofNonZeroValue': ['(A) -> optional_type(A)'],
  'optional.none': ['() -> optional_type(A)'],
  'optional.unwrap': ['(list(optional_type(A))) -> list(A)'],
  unwrapOpt: ['list(optional_type(A)).() -> list(A)'],
  hasValue: ['optional_type(A).() -> bool'],
  value: ['optional_type(A).() -> A'],
  or: ['optional_type(A).(optional_type(A)) -> optional_type(A)'],
  orValue: ['optional_type(A).(A) -> A'],
  first: ['list(A).() -> optional_type(A)'],
  last: ['list(A).() -> optional_type(A)'],
  '_[?_]': [
    '(list(A), int) -> optional_type(A)',
    '(optional_type(list(A)), int) -> optional_type(A)',
    '(map(A, B), A) -> optional_type(B)',
    '(optional_type(map(A, B)), A) -> optional_type(B)',
  ],
  '_[_]': [
    '(optional_type(list(A)), int) -> optional_type(A)',
    '(optional_type(map(A, B)), A) -> optional_type(B)',
  ],
};
