/**
 * Commands of upstream's talosctl that are not implemented, with their aliases. The error for them differs from that
 * for an unknown command. Source: Talos v1.14: commands of talosctl.
 */
const unbuilt: Readonly<Record<string, readonly string[]>> = {
  conformance: [],
  debug: [],
  'debug-tool': [],
  docs: [],
  inject: [],
  'remote-provision-launch': [],
  'rotate-ca': [],
  'upgrade-k8s': [],
};

/** Commands that upstream removed, with their replacements. */
const redirects: Readonly<Record<string, string>> = {
  disks: 'talosctl get disks',
  interfaces: 'talosctl get addresses and talosctl get links',
  routes: 'talosctl get routes',
  route: 'talosctl get routes',
  crashdump: 'talosctl support',
};

/** The error for a command that is not implemented or was removed; `undefined` for an unknown command. */
export function explainMissingCommand(verb: string): string | undefined {
  const replacement = Object.hasOwn(redirects, verb) ? redirects[verb] : undefined;
  if (replacement !== undefined) return `talosctl ${verb} was removed: use ${replacement}`;
  const known = Object.entries(unbuilt).find(([name, aliases]) => name === verb || aliases.includes(verb));
  return known === undefined
    ? undefined
    : `talosctl ${known[0]} is not implemented: the table in README.md says what is`;
}

/** All commands that `explainMissingCommand` explains, without aliases. */
export const missingCommandNames: readonly string[] = [...Object.keys(unbuilt), ...Object.keys(redirects)];
