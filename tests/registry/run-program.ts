import { execFile } from 'node:child_process';

export interface ProgramRun {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end, and resolves with what it printed. Rejects when it cannot be started. */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  const options = { env: { ...process.env, ...env }, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) =>
    execFile(program, args, options, (error, stdout, stderr) => {
      const { code } = (error ?? { code: 0 }) as { code?: number | string | null };
      if (typeof code === 'string') reject(error);
      else resolve({ code: code ?? 1, output: `${stdout}${stderr}` });
    }),
  );
}

/** Why a test needs to be skipped; undefined when the program runs here. */
export async function missingProgram(program: string, debianPackage: string): Promise<string | undefined> {
  const found = await runProgram(program, ['--version']).catch(() => undefined);
  return found === undefined ? `${program} is missing: apt-get install ${debianPackage}` : undefined;
}
