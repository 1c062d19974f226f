import { readFileSync, statSync } from 'node:fs';

/** The console of a machine from a certain moment on. The file has the consoles of all its starts. */
export interface MachineConsole {
  /** What the console has shown since then. */
  text(): string;
}

export function openConsole(path: string): MachineConsole {
  const start = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    text: () => {
      try {
        const bytes = readFileSync(path);
        // A console that has become long was emptied since then.
        return bytes.subarray(bytes.length < start ? 0 : start).toString('utf8');
      } catch {
        // The emulator has not created the file yet.
        return '';
      }
    },
  };
}
