import { posix } from 'node:path';
import type {
  DiskUsageInfo,
  DiskUsageRequest,
  MachineServiceImplementation,
} from '@nodewright/contract/gen/machine/machine.ts';
import { type Fault, faultFrom } from '@nodewright/fault';
import { textFromBytes } from '../domain/byte-text.ts';
import { fileKindOf } from '../domain/file-mode.ts';
import { relativePath } from '../domain/node-path.ts';
import { showsUsage, wireSize } from '../domain/usage.ts';
import type { FoundFile, NodeFiles } from '../host/node-files.ts';
import { walkFiles } from '../host/walk-files.ts';
import { rootOfRequest } from './root-of-request.ts';

/** This file reports the size of the whole address space. */
const kernelMemory = '/proc/kcore';

type Usage = Partial<DiskUsageInfo>;

/**
 * Implements DiskUsage: apparent sizes; a folder's size includes its entries, and it is listed after them.
 * Only the first of the paths that exists is measured. Source: Talos v1.14: DiskUsage.
 */
export function createDiskUsage(files: NodeFiles): Pick<MachineServiceImplementation, 'diskUsage'> {
  return {
    async *diskUsage(request, { signal }) {
      for (const path of request.paths) {
        let found: FoundFile;
        try {
          found = await rootOfRequest(files, path);
        } catch (error) {
          yield { name: path, relativeName: path, error: faultFrom(error).message };
          continue;
        }
        using root = found;
        yield* addUp(root, request, signal);
        return;
      }
    },
  };
}

async function* addUp(
  root: FoundFile,
  request: DiskUsageRequest,
  signal: AbortSignal,
): AsyncGenerator<Usage, void, undefined> {
  /** The sums of the folders that the walk is currently in. */
  const totals: number[] = [];
  for await (const group of walkFiles({ root, signal })) {
    for (const { path, depth, ...step } of group) {
      let isFolder = step.kind !== 'file';
      let size = 0;
      if (step.kind === 'file') {
        size = path === kernelMemory ? 0 : step.stat.size;
        isFolder = fileKindOf(step.stat.mode) === 'directory';
        if (isFolder) {
          totals.push(size);
          continue;
        }
      }
      const relative = path === root.path && !isFolder ? posix.basename(path) : relativePath(root.path, path);
      const names = { name: textFromBytes(path), relativeName: textFromBytes(relative) };
      if (step.kind === 'failed') {
        if (isGone(path, step.fault)) continue;
        yield { ...names, error: step.fault.message };
        continue;
      }
      if (step.kind === 'left') size = totals.pop() ?? 0;
      const above = totals.length - 1;
      if (above >= 0) totals[above] = (totals[above] as number) + size;
      const usage = { depth, isFolder, size: wireSize(size) };
      if (showsUsage(request, usage)) yield { ...names, size: usage.size };
    }
  }
}

const networkOfProcess = /^\/proc\/\d+\/(task\/\d+\/)?net$/;

/**
 * Whether a file has disappeared while it was counted; it then counts as empty. This happens all the time
 * with processes. The folder of a process that has ended exists until its parent waits for it, but without
 * `net`.
 */
function isGone(path: string, { kind, cause }: Fault): boolean {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return kind === 'not-found' || code === 'ESRCH' || (code === 'EINVAL' && networkOfProcess.test(path));
}
