import { type KernelFile, openKernelFile } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';

/** Reads files of the kernel repeatedly. */
export interface KernelFiles extends Disposable {
  /** Reads the current content of `path`, in a span. @throws Fault when the kernel has no such file. */
  read(path: string): string;
}

/** Opens each file at its first read and keeps it open until the result is disposed. */
export function openKernelFiles(telemetry: Telemetry): KernelFiles {
  const scope = new DisposableStack();
  const files = new Map<string, KernelFile>();

  return {
    read(path) {
      const span = telemetry.startSpan(`read ${path}`);
      try {
        let file = files.get(path);
        if (file === undefined) {
          file = scope.use(openKernelFile(path));
          files.set(path, file);
        }
        return file.readText();
      } catch (error) {
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
    [Symbol.dispose]: () => scope.dispose(),
  };
}
