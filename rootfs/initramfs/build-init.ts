import type { LockedTools } from '../debian/locked-tools.ts';
import { buildStaticProgram } from './build-static-program.ts';

export interface InitSources {
  /** Folder of `init.c`. */
  readonly source: string;
  /** An existing folder for intermediate files. */
  readonly work: string;
  /** The image of etcd that the machine has, used unless the configuration names one. */
  readonly etcdImage: string;
  /** Whether the machine runs the kubelet of its configuration. */
  readonly hasKubelet: boolean;
}

/**
 * Compiles the init with the locked compiler, assembler and linker, and returns the static program. The same source
 * gives the same bytes on every machine.
 *
 * @throws Error with the compiler's message
 */
export function buildInit(tools: LockedTools, { source, work, etcdImage, hasKubelet }: InitSources): Buffer {
  const settings = [`-DETCD_IMAGE="${etcdImage}"`, `-DKUBELET="${hasKubelet ? 'on' : 'off'}"`];
  return buildStaticProgram(tools, { source, work, name: 'init', settings });
}
