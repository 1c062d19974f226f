import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  changedContexts,
  type Kubeconfig,
  type KubeconfigConflict,
  type KubeconfigMerge,
  kubeconfigConflicts,
  mergeKubeconfig,
  parseKubeconfig,
  printKubeconfig,
  rewriteKubeconfig,
} from '@nodewright/client/kubeconfig';
import { Fault, faultFrom } from '@nodewright/fault';
import { linkTarget, lockFile, makeFolder, shownPath, writeFileAtomically } from '@nodewright/files';

const folderMode = 0o755;

export interface KubeconfigFile {
  readonly text: string;
  readonly config: Kubeconfig;
}

/** What to do with a file that exists. */
export interface KubeconfigTreatment {
  /** Merge with it. Otherwise replace it as a whole. */
  readonly merges: boolean;
  /** Replace the file, or entries of the same name. */
  readonly force: boolean;
}

export interface KubeconfigUpdate extends KubeconfigTreatment {
  readonly path: string;
  readonly incoming: Kubeconfig;
  /** The content of the file when the user was asked. */
  readonly seen: Kubeconfig | undefined;
  /** The entries of that file that the user agreed to lose. */
  readonly overwritten: readonly KubeconfigConflict[];
  readonly contextName?: string | undefined;
  /** Nothing is written after it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * The file to merge with; undefined when the file does not exist, or is to be replaced.
 *
 * @throws Fault `already-exists` for a file that may not be replaced, `invalid-argument` for one that is no kubeconfig
 */
export async function readMergedFile(
  path: string,
  { merges, force }: KubeconfigTreatment,
): Promise<KubeconfigFile | undefined> {
  const unlessMissing = (error: unknown): undefined => {
    const { kind, message } = faultFrom(error);
    if (kind !== 'not-found')
      throw new Fault(kind, `${shownPath(path)} cannot be read: ${message}`, { cause: error });
  };
  if (merges) {
    const text = await readFile(path, 'utf8').catch(unlessMissing);
    return text === undefined ? undefined : { text, config: parseKubeconfig(text, shownPath(path)) };
  }
  if (force || (await stat(path).catch(unlessMissing)) === undefined) return undefined;
  throw new Fault(
    'already-exists',
    `${shownPath(path)} exists: add flag --force to overwrite it, or merge with it`,
  );
}

/**
 * Merges the incoming kubeconfig with what the file holds now, and writes the target of the path. A lock keeps out other writers, such
 * as kubectl, which uses the same name for its lock. An entry that was changed since the user was asked about it is kept.
 *
 * @returns the new content, and whether there was a file to merge with
 */
export async function updateKubeconfig(
  update: KubeconfigUpdate,
): Promise<KubeconfigMerge & { readonly merged: boolean }> {
  const { incoming, seen, overwritten, force, contextName, signal } = update;
  const path = await linkTarget(update.path);
  await makeFolder(dirname(path), folderMode);
  await using _lock = await lockFile(`${path}.lock`);
  const current = await readMergedFile(path, update);
  const changed =
    seen === undefined || current === undefined
      ? []
      : [...kubeconfigConflicts(seen, current.config), ...changedContexts(seen, current.config)];
  const includes = (list: readonly KubeconfigConflict[], { part, name }: KubeconfigConflict) =>
    list.some((each) => each.part === part && each.name === name);
  const merge = mergeKubeconfig(
    current?.config ?? { ...incoming, clusters: [], users: [], contexts: [], currentContext: '' },
    incoming,
    {
      overwrites: (conflict) => force || (includes(overwritten, conflict) && !includes(changed, conflict)),
      contextName,
    },
  );
  signal.throwIfAborted();
  const text =
    current === undefined ? printKubeconfig(merge.config) : rewriteKubeconfig(current.text, merge.config);
  await writeFileAtomically(path, text, { hasOtherWriters: true });
  return { ...merge, merged: current !== undefined };
}
