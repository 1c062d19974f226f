import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The release that the wrapper module requires; a test compares it with go.mod. */
export const clientVersion = 'v1.13.9';
/**
 * The wrapper module: a main function that calls the released client's, and a go.mod that pins its modules.
 */
export const wrapperFiles = ['go.mod', 'go.sum', 'main.go'] as const;
/**
 * The minor version of Go in go.mod. A Go of that line with an older patch version downloads the newer
 * toolchain itself.
 */
export const leastGoMinor = 26;
const versionVariable = 'github.com/siderolabs/talos/pkg/machinery/version.Tag';
export const buildFlags = [
  // Leaves out parts of its dependencies that the commands do not need.
  ...['-trimpath', '-tags', 'tcell_minimal,grpcnotrace'],
  ...['-ldflags', `-s -w -X ${versionVariable}=${clientVersion}`],
] as const;

export interface BuildClientInit {
  readonly go: string;
  /** Folder with the files of the wrapper; they are not changed. */
  readonly wrapper: string;
  /** Receives a folder for this version of Go, with the program in it. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
}

/**
 * Builds the client below `folder`, unless this version of Go has already built it there, and returns the
 * program's path.
 *
 * @throws Error with the last line that Go printed
 */
export function buildClient({ go, wrapper, folder, environment, note }: BuildClientInit): string {
  const work = mkdtempSync(join(tmpdir(), 'upstream-client-'));
  const goEnvironment = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'auto' };
  const run = (...args: string[]) => runGo(go, args, work, { ...environment, ...goEnvironment });
  try {
    for (const name of wrapperFiles) copyFileSync(join(wrapper, name), join(work, name));
    const goVersion = run('env', 'GOVERSION').trim();
    const program = join(folder, goVersion, 'talosctl');
    if (existsSync(program)) return program;
    note(`building talosctl ${clientVersion} with ${goVersion}, which takes minutes once`);
    mkdirSync(join(folder, goVersion), { recursive: true });
    const draft = `${program}.${process.pid}`;
    try {
      run('build', ...buildFlags, '-o', draft, '.');
      renameSync(draft, program);
    } finally {
      rmSync(draft, { force: true });
    }
    return program;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs at the lowest priority, so that other work is not slowed down. */
function runGo(go: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync('nice', ['-n', '19', go, ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // Go prints a line per download.
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`go ${args[0]}: ${stderr.trim().split('\n').at(-1) || message}`, { cause: error });
  }
}
