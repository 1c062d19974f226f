/** What is known of a machine that starts. */
export interface StartFacts {
  readonly isApidHealthy: boolean;
  readonly areDevicesSettled: boolean;
  /** The modules of the configuration. */
  readonly wantedModules: readonly string[];
  /** Those that the kernel has, loaded or built in, by their names in `/proc/modules`. */
  readonly kernelModules: ReadonlySet<string>;
}

/**
 * What a machine has not shown yet of a start that may be kept; empty when it has shown everything. A set of extensions can break each of
 * it, or crash the kernel in it, and the machine must start without the set then.
 */
export function problemsOfStart(facts: StartFacts): string[] {
  const { isApidHealthy, areDevicesSettled, wantedModules, kernelModules } = facts;
  const missing = wantedModules.filter((name) => !kernelModules.has(name.replaceAll('-', '_')));
  return [
    ...(isApidHealthy ? [] : ['apid is not healthy']),
    ...(areDevicesSettled ? [] : ['the devices are not settled']),
    ...missing.map((name) => `the kernel module ${name} is not loaded`),
  ];
}
