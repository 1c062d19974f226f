import type { UnattendedInstallStatusSpec } from '@nodewright/state/kinds';

/** Where an installation is. `none`: nobody has asked for one. */
export type InstallState =
  | { readonly kind: 'none' }
  /** It has not begun: the machine lacks what is asked for. */
  | { readonly kind: 'pending'; readonly problem: string }
  | { readonly kind: 'installing' }
  | { readonly kind: 'failed'; readonly problem: string }
  /** The disk has the system, and the next start has it. */
  | { readonly kind: 'waiting for reboot' }
  /** The machine runs from its disk. */
  | { readonly kind: 'installed' };

const phases = {
  pending: 'pending',
  installing: 'installing',
  failed: 'failed',
  'waiting for reboot': 'waiting-for-reboot',
  installed: 'installed',
} as const;

/**
 * The status of an installation; undefined when the configuration asks for none. Source: Talos v1.14: installation.
 *
 * @param image the image of the installer as the configuration names it; undefined when it asks for no installation
 */
export function installStatus(
  state: InstallState,
  image: string | undefined,
): UnattendedInstallStatusSpec | undefined {
  if (image === undefined || state.kind === 'none') return undefined;
  return { image, phase: phases[state.kind], error: 'problem' in state ? state.problem : '' };
}
