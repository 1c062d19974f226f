/**
 * One setting of a daemon. The key in the table is its name in the code; `runtimeFile` is `--runtime-file` on the
 * command line. Flags win over the environment, the environment over the default.
 */
export interface OptionSpec {
  /** Environment variable with the same meaning. */
  readonly env: string;
  /** `path` is a string that must not be empty; `list` splits at commas; `duration` takes `500ms`, `5s`, `2m`, `1h`. */
  readonly type: 'string' | 'path' | 'integer' | 'boolean' | 'list' | 'duration';
  readonly description: string;
  readonly required?: boolean;
  readonly default?: string | number | boolean | readonly string[];
  /** Only these values are taken. */
  readonly choices?: readonly string[];
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

interface ValueByType {
  string: string;
  path: string;
  integer: number;
  boolean: boolean;
  list: string[];
  /** Milliseconds. */
  duration: number;
}

type Present<S extends OptionSpec> = S extends
  | { required: true }
  | { default: string | number | boolean | readonly string[] }
  ? ValueByType[S['type']]
  : ValueByType[S['type']] | undefined;

/** The values that a table of options yields. */
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: Present<T[K]> };

/** `runtimeFile` becomes `runtime-file`. */
export function flagFromKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
