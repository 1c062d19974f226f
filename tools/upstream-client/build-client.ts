import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The release that the wrapper module requires; a test compares it with go.mod. */
export const clientVersion = 'v1.13.9';
/** The wrapper: a main that calls the client's own, and what pins its modules. */
export const wrapperFiles = ['go.mod', 'go.sum', 'main.go'] as const;
/** What go.mod asks for; where the machine's Go is of this line and older, Go fetches its newer toolchain itself. */
export const leastGoMinor = 26;
const versionVariable = 'github.com/siderolabs/talos/pkg/machinery/version.Tag';
export const buildFlags = [
  // Without parts of its dependencies that the commands do not need.
  ...['-trimpath', '-tags', 'tcell_minimal,grpcnotrace'],
  ...['-ldflags', `-s -w -X ${versionVariable}=${clientVersion}`],
] as const;

export interface BuildClientInit {
  readonly go: string;
  /** With the files of the wrapper, which stay as they are. */
  readonly wrapper: string;
  /** Gets a folder for the version of Go, and the program in it. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
}

/**
 * Builds the client below `folder`, unless this version of Go has built it there, and yields the program's path.
 *
 * @throws Error with the last line that Go printed.
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

/** At the lowest priority: other work goes on beside it. */
function runGo(go: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync('nice', ['-n', '19', go, ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // Go prints each download.
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`go ${args[0]}: ${stderr.trim().split('\n').at(-1) || message}`, { cause: error });
  }
}
