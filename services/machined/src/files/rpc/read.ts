import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import { fileKindOf } from '../domain/file-mode.ts';
import { pathFromRequest } from '../domain/node-path.ts';
import type { FileStat } from '../host/file-stat.ts';
import type { NodeFiles } from '../host/node-files.ts';

/** Read from the file at once. */
const readBytes = 64 * 1024;

/**
 * Read: the content of a file to its end, whatever its size says. A file that cannot be read from its begin fails;
 * when it can be no more later, the stream ends as if that were the end, as upstream's does, and the log says so.
 * Source: Talos v1.14: Read.
 */
export function createRead(files: NodeFiles, log: Logger): Pick<MachineServiceImplementation, 'read'> {
  return {
    async *read(request, { signal }) {
      const asked = pathFromRequest(request.path);
      if (!asked.startsWith('/')) {
        throw new Fault('invalid-argument', `path is not absolute ${JSON.stringify(request.path)}`);
      }
      using found = await files.find(asked, 'stat');
      const { folder, name } = found;
      checkRegular(await folder.statLater(name));
      await using file = folder.open(name);
      checkRegular(file.stat);
      for (let total = 0; ; ) {
        signal.throwIfAborted();
        // Messages wait in the stream for a slow reader: each read has memory of its own.
        const buffer = Buffer.allocUnsafeSlow(readBytes);
        let count = 0;
        try {
          count = await file.readLater(buffer);
        } catch (error) {
          if (total === 0) throw error;
          log.warn({ path: request.path, error: faultFrom(error).message }, 'file cannot be read to its end');
        }
        if (count === 0) return;
        total += count;
        for (const chunk of fileChunks(buffer.subarray(0, count))) yield chunk;
      }
    },
  };
}

function checkRegular({ mode }: FileStat): void {
  if (fileKindOf(mode) !== 'file') throw new Fault('unknown', 'path must be a regular file');
}
