// What an installation is asked for, by the configuration or by a call.
import { extraArgumentProblem } from '@nodewright/boot';
import type { EffectiveConfig } from '@nodewright/machine-config';

type InstallSettings = NonNullable<EffectiveConfig['install']>;

export interface InstallRequest {
  /** Path of the disk; empty when the selector chooses. */
  readonly disk: string;
  /** Expression that is true for the disk; empty without one. */
  readonly selector: string;
  /** Whether what is on the disk may be destroyed; undefined: unless it is a system. */
  readonly wipes: boolean | undefined;
  /** The artefact; empty for the one on the medium. */
  readonly image: string;
  readonly extraKernelArguments: readonly string[];
  readonly marksMbr: boolean;
}

export const requestOf = (install: InstallSettings): InstallRequest => ({
  ...diskOf(install),
  ...{ wipes: install.wipe, image: install.image },
  extraKernelArguments: install.usesImageArguments ? [] : install.extraKernelArgs,
  marksMbr: install.marksMbr,
});

/** The form that `talosctl gen config` writes for a disk: nothing needs to be evaluated for it. */
const onePath = /^disk\.dev_path == ["'](\/dev\/[\w./:-]+)["']$/;

function diskOf({ disk, diskSelector }: InstallSettings): Pick<InstallRequest, 'disk' | 'selector'> {
  const [, path] = onePath.exec(diskSelector.trim()) ?? [];
  return path === undefined ? { disk, selector: diskSelector } : { disk: path, selector: '' };
}

/**
 * Whether the medium has what is asked for: nothing is named, or an image with the version of the medium. Configurations that clients
 * generate name the image of their own version.
 */
export function isOnMedium(image: string, version: string): boolean {
  const [name = '', digest] = image.split('@');
  if (digest !== undefined) return false;
  return image === '' || name.slice(name.lastIndexOf('/') + 1).split(':')[1] === version;
}

/** Why the arguments are refused; undefined when they are not. @param commandLine of the image */
export function argumentProblem(
  { extraKernelArguments }: Pick<InstallRequest, 'extraKernelArguments'>,
  commandLine: string,
): string | undefined {
  return extraArgumentProblem(commandLine, extraKernelArguments);
}

/** What a person has to know about the arguments; undefined when there is nothing to say. */
export function argumentWarning(
  { extraKernelArguments }: Pick<InstallRequest, 'extraKernelArguments'>,
  isUefi: boolean,
): string | undefined {
  if (!isUefi || extraKernelArguments.length === 0) return undefined;
  return `the extra kernel arguments have no effect with UEFI firmware, whose kernel has a signed command line: ${extraKernelArguments.join(' ')}`;
}
