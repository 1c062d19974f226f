import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import { CopyProblems } from '../domain/copy-problems.ts';
import { cleanPath, pathFromRequest } from '../domain/node-path.ts';
import { archiveFiles } from '../host/file-archive.ts';
import type { NodeFiles } from '../host/node-files.ts';
import { missingIsUnknown } from './root-of-request.ts';

/**
 * Implements Copy, which returns a gzip-compressed tar archive. Files that cannot be read are skipped, and
 * the status of the call names them. Source: Talos v1.14: Copy.
 */
export function createCopy(files: NodeFiles): Pick<MachineServiceImplementation, 'copy'> {
  return {
    async *copy({ rootPath }, { signal }) {
      const requested = cleanPath(pathFromRequest(rootPath));
      if (!requested.startsWith('/')) throw new Fault('unknown', `path is not absolute ${rootPath || '.'}`);
      const problems = new CopyProblems();
      try {
        using root = await files.find(requested);
        const onProblem = problems.add.bind(problems);
        for await (const piece of archiveFiles({ root, signal, onProblem })) {
          for (const chunk of fileChunks(piece)) yield chunk;
        }
      } catch (error) {
        throw missingIsUnknown(error);
      }
      const fault = problems.fault();
      if (fault !== undefined) throw fault;
    },
  };
}
