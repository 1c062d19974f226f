import type { KernelParamStatusSpec } from '@nodewright/state/kinds';

/** A value that a parameter of the kernel should have. */
export interface WantedParameter {
  readonly value: string;
  /** A kernel without the parameter is no failure. */
  readonly ignoreErrors: boolean;
}

/**
 * The id of a parameter whose key stands in a configuration. Where the first separator of the key is a dot, its dots and
 * slashes change places to give a path; where it is a slash, the key is the path. The id is the path with the two
 * changed: `net.ipv4.conf.eth0/100.rp_filter` has the dot of the link in it. Source: Talos v1.14: machine configuration,
 * `machine.sysctls`.
 */
export function parameterId(tree: 'proc.sys' | 'sys', key: string): string {
  const [first] = /[./]/.exec(key) ?? [];
  return `${tree}.${first === '/' ? swapSeparators(key.replace(/^\/+/, '')) : key}`;
}

/** Where the kernel has the parameter with this id. */
export function parameterPath(id: string): string {
  return `/${swapSeparators(id)}`;
}

function swapSeparators(text: string): string {
  return text.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

/** What a configuration asks for, by id. */
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
 * What of a parameter can be said where nobody sets it: the value that it has is that from before, and it is
 * `unsupported` unless it is the wanted one. Columns of a value may stand apart by blanks of any kind.
 *
 * @param current what the kernel says; undefined when it has no such parameter or does not show it
 */
export function parameterStatus(wanted: string, current: string | undefined): KernelParamStatusSpec {
  const value = current?.trim() ?? '';
  const columns = (text: string) => text.trim().split(/\s+/).join(' ');
  return {
    current: value,
    default: value,
    unsupported: current === undefined || columns(value) !== columns(wanted),
  };
}
