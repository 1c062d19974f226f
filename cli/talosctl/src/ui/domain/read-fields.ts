/** A JSON object of unknown form. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; empty when it is anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The elements of the value as objects; none when it is no list. */
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];
