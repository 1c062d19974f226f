/**
 * Verbs of upstream's talosctl that this one does not have yet, with their aliases. They are not unknown commands:
 * whoever types one should learn that it is the tool that lacks it. Source: Talos v1.14: talosctl commands.
 */
const unbuilt: Readonly<Record<string, readonly string[]>> = {
  conformance: [],
  debug: [],
  'debug-tool': [],
  docs: [],
  inject: [],
  kubeconfig: [],
  'remote-provision-launch': [],
  rollback: [],
  'rotate-ca': [],
  upgrade: [],
  'upgrade-k8s': [],
  wipe: [],
};

/** Commands that upstream removed, and what took their place. */
const redirects: Readonly<Record<string, string>> = {
  disks: 'talosctl get disks',
  interfaces: 'talosctl get addresses and talosctl get links',
  routes: 'talosctl get routes',
  route: 'talosctl get routes',
  crashdump: 'talosctl support',
};

/** One line about a verb that exists elsewhere but not here; undefined for a verb that nobody knows. */
export function explainMissingCommand(verb: string): string | undefined {
  const replacement = Object.hasOwn(redirects, verb) ? redirects[verb] : undefined;
  if (replacement !== undefined) return `talosctl ${verb} is gone: use ${replacement}`;
  const known = Object.entries(unbuilt).find(([name, aliases]) => name === verb || aliases.includes(verb));
  return known === undefined ? undefined : `talosctl ${known[0]} is not there yet`;
}

/** Names of every verb that `explainMissingCommand` knows, without aliases. */
export const missingCommandNames: readonly string[] = [...Object.keys(unbuilt), ...Object.keys(redirects)];
