/**
 * One option of a daemon. Its key in the table is its name in the code; the key `runtimeFile` is the flag
 * `--runtime-file`. A flag takes precedence over the environment, and the environment over the default.
 */
export interface OptionSpec {
  /** Environment variable that sets the same option. */
  readonly env: string;
  /**
   * `path` is a non-empty string; `list` is separated by commas; `duration` is a text such as `500ms`, `5s`,
   * `2m`, `1h`.
   */
  readonly type: 'string' | 'path' | 'integer' | 'boolean' | 'list' | 'duration';
  readonly description: string;
  readonly required?: boolean;
  readonly default?: string | number | boolean | readonly string[];
  /** The only accepted values. */
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

/** The values of a table of options. */
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: Present<T[K]> };

/** Converts a key such as `runtimeFile` to a flag such as `runtime-file`. */
export function flagFromKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
