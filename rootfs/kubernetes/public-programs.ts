// The programs of Kubernetes for nodes of processes, out of the public images of exactly the versions that images of nodes are named
// after. Building the same from Go modules takes a quarter of an hour.
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCaches } from '@nodewright/build/go';
import { hasKubernetes, kubernetesFolder } from '@nodewright/build/kubernetes';
import { faultFrom } from '@nodewright/fault';
import { type EndpointsOf, openDistributionClient, platformOfNode } from '@nodewright/oci';
import { builtKubernetesVersion, kubernetesPrograms } from '@nodewright/provision/kubernetes-programs';
import { noTelemetry } from '@nodewright/telemetry';
import { kubernetesImages } from './image-table.ts';
import { fetchProgram, type PublicProgram } from './public-image.ts';

/** No node gets this image; without its program the folder of programs is refused. */
const kubectlImage: PublicProgram = {
  reference: `registry.k8s.io/kubectl:v${builtKubernetesVersion}`,
  path: 'bin/kubectl',
};

/** The program of each name. The public images have them at the same paths as ours. */
export const publicPrograms: ReadonlyMap<string, PublicProgram> = new Map(
  kubernetesPrograms.map((name) => {
    const image = kubernetesImages.find(({ program }) => program === `usr/local/bin/${name}`);
    return [name, image === undefined ? kubectlImage : { reference: image.reference, path: image.program }];
  }),
);

export interface UsePublicProgramsInit {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
  /** Default: the programs of the version that `make kubernetes` builds. */
  readonly programs?: ReadonlyMap<string, PublicProgram>;
  /** Where registries are. Default: where their names say. */
  readonly endpointsOf?: EndpointsOf;
  /** A registry that sends nothing for this long is not used. Default 15 s. */
  readonly idleTimeoutMs?: number;
  /** Whether a build is there already. Default: whether a cache of this machine has it. */
  readonly isBuilt?: boolean;
}

const defaultIdleTimeoutMs = 15_000;
/** For each image. A registry that sends a little now and then would otherwise hold the build up. */
const imageTimeoutMs = 10 * 60_000;

/**
 * Links the programs of public images where `make kubernetes` links what it builds, unless a build is there. Fetches each once. When one
 * of them fails, none is linked, and `note` says why: the build is used then.
 *
 * @returns whether they are linked
 */
export async function usePublicPrograms(init: UsePublicProgramsInit): Promise<boolean> {
  const { checkout, environment, note, signal, programs = publicPrograms } = init;
  if (init.isBuilt ?? hasKubernetes(checkout, environment)) return false;
  const { idleTimeoutMs = defaultIdleTimeoutMs } = init;
  const folder = join(buildCaches(checkout, environment).writable, 'public-images');
  using client = openDistributionClient({
    telemetry: noTelemetry,
    ...{ idleTimeoutMs, documentTimeoutMs: 2 * idleTimeoutMs },
    ...(init.endpointsOf === undefined ? {} : { endpointsOf: init.endpointsOf }),
  });
  const paths = new Map<string, string>();
  for (const [name, program] of programs) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(imageTimeoutMs)]);
    try {
      const platform = platformOfNode(process.arch);
      paths.set(name, await fetchProgram(program, { client, folder, platform, note, signal: limit }));
    } catch (error) {
      signal.throwIfAborted();
      const reason = faultFrom(error).message.split('\n')[0];
      note(
        `${name} cannot be taken from ${program.reference} (${reason}): Kubernetes is built from Go modules`,
      );
      return false;
    }
  }
  for (const [name, path] of paths) linkTo(path, join(kubernetesFolder(checkout), name));
  return true;
}

/** Replaces the link by one rename: another process sees the old link or the new one. */
function linkTo(target: string, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(path) === target) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  symlinkSync(target, draft);
  renameSync(draft, path);
}
