import type { KernelParamStatusSpec } from '@nodewright/state/kinds';

/** The wanted value of a kernel parameter. */
export interface WantedParameter {
  readonly value: string;
  /** Whether it is no failure when the kernel lacks the parameter. */
  readonly ignoreErrors: boolean;
}

/**
 * The id of a parameter from its key in a configuration. If the first separator of the key is a dot, dots and
 * slashes are exchanged to get the path; if it is a slash, the key is the path. The id is the path with the
 * two exchanged: in `net.ipv4.conf.eth0/100.rp_filter` the slash stands for the dot in the name of the link.
 * Source: Talos v1.14: machine configuration, `machine.sysctls`.
 */
export function parameterId(tree: 'proc.sys' | 'sys', key: string): string {
  const [first] = /[./]/.exec(key) ?? [];
  return `${tree}.${first === '/' ? swapSeparators(key.replace(/^\/+/, '')) : key}`;
}

/** The path of the kernel's file for the parameter with this id. */
export function parameterPath(id: string): string {
  return `/${swapSeparators(id)}`;
}

function swapSeparators(text: string): string {
  return text.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

/**
 * The value of a parameter in the text of its file. A file of sysfs with a choice has all its words, and the chosen one in brackets:
 * `always [madvise] never`. Only the word can be written.
 */
export function parameterValue(id: string, text: string): string {
  const value = text.trim();
  if (!id.startsWith('sys.')) return value;
  const chosen = value.split(/\s+/).filter((word) => /^\[[^[\]]+\]$/.test(word));
  const [only] = chosen;
  return only === undefined || chosen.length > 1 ? value : only.slice(1, -1);
}

/** The parameters in a configuration, by id. */
export function configuredParameters(config: {
  readonly sysctls: Readonly<Record<string, string>>;
  readonly sysfs: Readonly<Record<string, string>>;
}): { readonly id: string; readonly spec: WantedParameter }[] {
  const wanted = (tree: 'proc.sys' | 'sys', values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => [parameterId(tree, key), value] as const);
  const byId = new Map([...wanted('proc.sys', config.sysctls), ...wanted('sys', config.sysfs)]);
  return [...byId].map(([id, value]) => ({ id, spec: { value, ignoreErrors: false } }));
}

/**
 * The status of a parameter that the node does not set: its current value, which is `unsupported` unless it
 * equals the wanted one. Columns of a value may be separated by any blanks.
 *
 * @param current the kernel's value; undefined when the kernel has no such parameter or does not show it
 */
export function parameterStatus(wanted: string, current: string | undefined): KernelParamStatusSpec {
  const value = current?.trim() ?? '';
  return {
    current: value,
    default: value,
    unsupported: current === undefined || !isSameValue(value, wanted),
  };
}

/** Whether two values are the same. Their columns may be separated by any blanks. */
export function isSameValue(one: string, other: string): boolean {
  const columns = (text: string) => text.trim().split(/\s+/).join(' ');
  return columns(one) === columns(other);
}

/**
 * The status of a parameter that the node sets.
 *
 * @param current the kernel's value; undefined when the kernel has no such parameter
 * @param original the value before the node has set it
 */
export function setParameterStatus(
  current: string | undefined,
  original: string | undefined,
): KernelParamStatusSpec {
  return { current: current ?? '', default: original ?? '', unsupported: current === undefined };
}
