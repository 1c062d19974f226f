import { posix } from 'node:path';
import type { FileInfo, MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { textFromBytes } from '../domain/byte-text.ts';
import { fileKindOf, goFileMode } from '../domain/file-mode.ts';
import { planListing } from '../domain/listing.ts';
import { relativePath } from '../domain/node-path.ts';
import { wireSize } from '../domain/usage.ts';
import type { OpenAttributes } from '../host/file-attributes.ts';
import type { NodeFiles } from '../host/node-files.ts';
import { type WalkStep, walkFiles } from '../host/walk-files.ts';
import { rootOfRequest } from './root-of-request.ts';

/**
 * Implements List: one message per file, the root first. A file that cannot be read gets a message with an
 * error. Source: Talos v1.14: List.
 */
export function createList(
  files: NodeFiles,
  openAttributes: OpenAttributes,
): Pick<MachineServiceImplementation, 'list'> {
  return {
    async *list(request, { signal }) {
      using found = await rootOfRequest(files, request.root);
      const root = found.path;
      const listing = planListing(root, request);
      const attributesOf = request.reportXattrs ? await openAttributes() : async () => [];
      const steps = walkFiles({
        root: found,
        signal,
        entersFolder: (depth, { mode }) => listing.entersFolder(depth, mode),
      });
      for await (const group of steps) {
        for (const step of group) {
          if (step.kind === 'left' || (step.kind === 'file' && !listing.shows(step.stat.mode))) continue;
          yield await describe(step);
        }
      }

      async function describe(step: Exclude<WalkStep, { kind: 'left' }>): Promise<Partial<FileInfo>> {
        const { path, folder } = step;
        const name = textFromBytes(path);
        const isFolder = step.kind === 'failed' || fileKindOf(step.stat.mode) === 'directory';
        const relative = path === root && !isFolder ? posix.basename(path) : relativePath(root, path);
        const names = { name, relativeName: textFromBytes(relative) };
        // One that does not answer is not asked again.
        const isAway = step.kind === 'failed' && folder.mayHang(step.name);
        try {
          const read = () => attributesOf(folder.hostPath(step.name));
          const xattrs = isAway ? [] : await folder.call(step.name, read);
          if (step.kind === 'failed') return { ...names, xattrs, error: step.fault.message };
          return { ...names, xattrs, ...(await describeFile(step)) };
        } catch (error) {
          return { ...names, error: (error as Error).message };
        }
      }
    },
  };
}

async function describeFile({
  stat,
  folder,
  name,
}: Extract<WalkStep, { kind: 'file' }>): Promise<Partial<FileInfo>> {
  const kind = fileKindOf(stat.mode);
  const targetOf = async () =>
    folder.mayHang(name) ? await folder.readLinkLater(name) : folder.readLink(name);
  return {
    size: wireSize(stat.size),
    mode: goFileMode(stat.mode),
    modified: BigInt(Math.floor(stat.mtimeMs / 1000)),
    isDir: kind === 'directory',
    link: kind === 'symlink' ? textFromBytes((await targetOf()) ?? '') : '',
    uid: stat.uid,
    gid: stat.gid,
  };
}
