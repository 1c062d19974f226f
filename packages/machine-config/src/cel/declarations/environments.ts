import { linkConstants } from './enumerations.ts';
import { createEnvironment, type Environment, type EnvironmentInit } from './environment.ts';
import { diskMessage, linkMessage, messages, volumeMessage } from './messages.ts';

/** Names of the environments, by the configuration field or resource that the expressions are about. */
export type EnvironmentName = 'disk' | 'volume' | 'link' | 'oom-trigger' | 'oom-ranking';

const variablesOf = (type: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, type]));

const powersOf = (base: bigint, names: readonly string[]) =>
  names.map((name, index) => [name, base ** BigInt(index + 1)] as const);

/** Units of size, in bytes. */
export const unitBytes: Readonly<Record<string, bigint>> = Object.fromEntries([
  ...powersOf(1024n, ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']),
  ...powersOf(1000n, ['kB', 'MB', 'GB', 'TB', 'PB', 'EB']),
]);
const units = variablesOf('uint', Object.keys(unitBytes));

const glob = { glob: ['(string, string) -> bool'] };

/** The cgroup classes of the OOM handler. */
const classes = variablesOf('int', ['Besteffort', 'Burstable', 'Guaranteed', 'Podruntime', 'System']);

/** Memory pressure (PSI), as `some` or `full`: averages over 10, 60 and 300 s in percent, and the total. */
const pressures = ['some', 'full'].flatMap((share) =>
  ['avg10', 'avg60', 'avg300', 'total'].map((window) => `memory_${share}_${window}`),
);
const usages = ['memory_current', 'memory_max', 'memory_peak'];

/** Adds the derivative of each value, per second, as `d_` and its name. */
const withDerivatives = (names: readonly string[]) => names.flatMap((name) => [name, `d_${name}`]);

/** Source: Talos v1.14: machine configuration, CEL environments; OOM configuration. Links have no units. */
const declarations: Readonly<Record<EnvironmentName, EnvironmentInit>> = {
  disk: {
    variables: { disk: diskMessage, system_disk: 'bool', ...units },
    functions: glob,
    messages,
    constants: linkConstants,
  },
  volume: {
    variables: { volume: volumeMessage, disk: diskMessage, ...units },
    messages,
    constants: linkConstants,
  },
  link: {
    variables: { link: linkMessage },
    functions: { ...glob, mac: ['(bytes) -> string'] },
    messages,
    constants: linkConstants,
  },
  'oom-trigger': {
    variables: {
      ...variablesOf('double', withDerivatives(pressures)),
      ...variablesOf(
        'map(int, double)',
        withDerivatives([...pressures, ...usages].map((name) => `qos_${name}`)),
      ),
      time_since_trigger: 'duration',
      ...classes,
      ...units,
    },
    functions: { multiply_qos_vectors: ['(map(dyn, double), map(dyn, double)) -> double'] },
    hasOptionals: true,
  },
  'oom-ranking': {
    variables: {
      ...variablesOf('optional_type(uint)', usages),
      path: 'string',
      class: 'int',
      ...classes,
      ...units,
    },
    hasOptionals: true,
  },
};

/** The declarations of an environment, as they are written. */
export const declarationsOf = (name: EnvironmentName): EnvironmentInit => declarations[name];

const created = new Map<EnvironmentName, Environment>();

/**
 * Returns the environment of a field. It is built on first use, because few configurations contain
 * expressions.
 */
export function environmentOf(name: EnvironmentName): Environment {
  const environment = created.get(name) ?? createEnvironment(declarations[name]);
  created.set(name, environment);
  return environment;
}
