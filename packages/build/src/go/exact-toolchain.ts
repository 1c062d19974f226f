import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, globSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Architecture, nativeArchitecture } from '../architecture.ts';

/** A release of Go, as published: another one, and one that a distribution has patched, write other bytes. */
export interface GoToolchain {
  /** `go1.26.10`. */
  readonly version: string;
  /** Go's checksum (`h1:…`) of its module `golang.org/toolchain`. */
  readonly sums: Readonly<Record<Architecture, string>>;
}

export interface ExactGo {
  readonly go: string;
  /** Variables for every command of it. */
  readonly environment: NodeJS.ProcessEnv;
}

/** What a user may set with `go env -w` and a build needs, but that does not change what is built. */
const keptSettings = [
  ...['GOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GONOPROXY', 'GOPRIVATE', 'GOINSECURE'],
  ...['GOCACHE', 'GOMODCACHE', 'GOPATH'],
];
/** Variables with which a machine could change what is built. */
const ofBuild = /^(GO|CGO_|PKG_CONFIG)|^(CC|CXX|FC|AR|CPATH|LIBRARY_PATH)$/;

/**
 * Fetches a release of Go through the module proxy, with any Go from 1.21 on, and frees it from the settings of
 * the machine that change what it builds.
 *
 * @throws Error when it cannot be fetched or is not the one with that checksum
 */
export function exactGo(go: string, toolchain: GoToolchain, environment: NodeJS.ProcessEnv): ExactGo {
  const architecture = nativeArchitecture();
  const module = `golang.org/toolchain@v0.0.1-${toolchain.version}.linux-${architecture}`;
  const env = { ...environment, GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off' };
  const json = (...args: string[]): Record<string, string> => JSON.parse(runQuietly(go, args, env));
  const settings = json('env', '-json', ...keptSettings);
  const { Dir: folder = '', Sum: sum, Error: failure } = json('mod', 'download', '-json', module);
  if (failure !== undefined) throw new Error(`${toolchain.version} cannot be fetched: ${failure}`);
  if (sum !== toolchain.sums[architecture])
    throw new Error(`${module} has the checksum ${sum} instead of ${toolchain.sums[architecture]}`);
  completeToolchain(folder);
  const others = Object.entries(environment).filter(([name]) => !ofBuild.test(name));
  return {
    go: join(folder, 'bin/go'),
    environment: { ...Object.fromEntries(others), ...settings, GOENV: 'off' },
  };
}

/** `go mod download -json` prints an error as JSON, and fails. */
function runQuietly(go: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  try {
    // In a folder without a module, because a go.mod could ask for another version.
    return execFileSync(go, args, { cwd: tmpdir(), env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    if (stdout.startsWith('{')) return stdout;
    throw new Error(`go ${args[0]}: ${stderr.trim().split('\n').at(-1) || message}`, { cause: error });
  }
}

/**
 * Modules have no modes, and none contains the go.mod of another. `go` puts both right when it switches to a toolchain;
 * it does not switch when it has that version itself. The program `go` comes last, because it is how others see that
 * nothing is left to do.
 */
function completeToolchain(folder: string): void {
  const program = join(folder, 'bin/go');
  if ((statSync(program).mode & 0o111) !== 0 && existsSync(join(folder, 'src/go.mod'))) return;
  for (const name of globSync('**/_go.mod', { cwd: folder })) {
    const place = dirname(join(folder, name));
    const { mode } = statSync(place);
    chmodSync(place, 0o755);
    copyFileSync(join(folder, name), join(place, 'go.mod'));
    chmodSync(place, mode);
  }
  const tools = globSync(['pkg/tool/*/*', 'bin/*'], { cwd: folder }).map((name) => join(folder, name));
  for (const path of [...tools.filter((path) => path !== program), program]) chmodSync(path, 0o755);
}
