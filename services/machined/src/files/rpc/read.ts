import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import { fileKindOf } from '../domain/file-mode.ts';
import { pathFromRequest } from '../domain/node-path.ts';
import type { FileStat } from '../host/file-stat.ts';
import type { NodeFiles } from '../host/node-files.ts';

/** The number of bytes that one system call reads. */
const readBytes = 64 * 1024;

/**
 * Implements Read: sends the content of a file to its end, whatever size it reports. If the first read fails,
 * the call fails. If a later read fails, the stream ends there, as upstream's does, and the failure is
 * logged. Source: Talos v1.14: Read.
 */
export function createRead(files: NodeFiles, log: Logger): Pick<MachineServiceImplementation, 'read'> {
  return {
    async *read(request, { signal }) {
      const requested = pathFromRequest(request.path);
      if (!requested.startsWith('/')) {
        throw new Fault('invalid-argument', `path is not absolute ${JSON.stringify(request.path)}`);
      }
      using found = await files.find(requested, 'stat');
      const { folder, name } = found;
      checkRegular(await folder.statLater(name));
      await using file = await folder.openLater(name);
      checkRegular(file.stat);
      for (let total = 0; ; ) {
        signal.throwIfAborted();
        // Each read gets a buffer of its own, because messages wait in the stream while the client is slow.
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
