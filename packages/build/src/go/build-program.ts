import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GoToolchain } from './exact-toolchain.ts';
import { placeBuild } from './place-build.ts';

/**
 * A program that is built from Go modules. Its wrapper is a module with a main function of a few lines: `go install`
 * refuses modules with `replace` lines, and the wrapper's go.sum pins every module.
 */
export interface GoProgram {
  /** Name of the built file, or of the folder with the built files. */
  readonly name: string;
  /** For people: `v1.13.9`. */
  readonly version: string;
  /** Files of the wrapper, go.mod and go.sum among them. */
  readonly files: readonly string[];
  /** Arguments of `go build`. */
  readonly flags: readonly string[];
  /** Package to build, seen from the wrapper; several make a folder. */
  readonly package: string | readonly string[];
  /** Builds the program of the tests of the package, which a module may have instead of a main function. */
  readonly isTest?: true;
  /**
   * Minor version of Go in go.mod. A Go of that line with an older patch version downloads the newer toolchain itself.
   */
  readonly leastGoMinor: number;
  /** Variables for Go besides those of every build, such as `CGO_ENABLED`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The only version of Go that builds it, for programs that have the same bytes everywhere; by default any. */
  readonly toolchain?: GoToolchain;
  /** What else decides what is built, such as the digest of a C compiler. */
  readonly inputs?: readonly string[];
  /** Makes the main.go of the wrapper from the one of a module, for a program that cannot be built as it is. */
  readonly copiedMain?: CopiedMain;
}

/** The main.go of a module without some of its imports, which only register what they implement. */
export interface CopiedMain {
  /** A module that the go.mod of the wrapper requires. */
  readonly module: string;
  /** Paths of packages whose import is left out. */
  readonly withoutImports: readonly string[];
}

export interface BuildProgramInit {
  readonly program: GoProgram;
  readonly go: string;
  /** Folder with the files of the wrapper; they are not changed. */
  readonly wrapper: string;
  /** Receives a folder for this version of Go, with the program in it. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables with paths of this build, which do not decide what is built, such as `CC`. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly note: (line: string) => void;
}

const everyBuild = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'auto' };
/** Of a build whose Go was chosen exactly: a go.sum that lacks a module is an error. */
const exactBuild = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };

/** A copy of a wrapper in a folder that is removed at the end, and the variables for each call of Go in it. */
export interface PreparedBuild extends Disposable {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

export type PrepareBuildInit = Pick<
  BuildProgramInit,
  'program' | 'go' | 'wrapper' | 'environment' | 'variables'
>;

/**
 * Copies the wrapper of a program to a temporary folder, because Go may write there.
 *
 * @throws Error with the last line that Go printed when it cannot fetch the module whose main.go is copied
 */
export function prepareBuild(init: PrepareBuildInit): PreparedBuild {
  const { program, go, wrapper, environment, variables } = init;
  const folder = mkdtempSync(join(tmpdir(), `${program.name}-`));
  for (const name of program.files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(join(wrapper, name), join(folder, name));
  }
  const prepared = {
    folder,
    environment: {
      ...{ ...environment, ...everyBuild, ...(program.toolchain === undefined ? {} : exactBuild) },
      ...{ ...program.environment, ...variables },
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    if (program.copiedMain !== undefined) copyMain(program.copiedMain, go, prepared);
    return prepared;
  } catch (error) {
    prepared[Symbol.dispose]();
    throw error;
  }
}

/** Go compares the module with the go.sum of the wrapper, so the copy is the same everywhere. */
function copyMain({ module, withoutImports }: CopiedMain, go: string, prepared: PreparedBuild): void {
  const { folder, environment } = prepared;
  const printed = runGo(go, ['mod', 'download', '-json', module], folder, environment);
  const { Dir: source } = JSON.parse(printed) as { readonly Dir: string };
  const text = readFileSync(join(source, 'main.go'), 'utf8');
  const imports = new Set(withoutImports.map((path) => `\t_ "${path}"`));
  const lines = text.split('\n');
  const kept = lines.filter((line) => !imports.has(line));
  if (lines.length - kept.length !== imports.size)
    throw new Error(`main.go of ${module} does not import each of ${withoutImports.join(', ')}`);
  writeFileSync(join(folder, 'main.go'), kept.join('\n'));
}

/**
 * Builds a program below `folder`, unless this version of Go has already built it there, and returns its path.
 *
 * @throws Error with the last line that Go printed
 */
export function buildProgram(init: BuildProgramInit): string {
  const { program, go, folder, note } = init;
  using prepared = prepareBuild(init);
  const run = (...args: string[]) => runGo(go, args, prepared.folder, prepared.environment);
  const isFolder = typeof program.package !== 'string';
  const goVersion = run('env', 'GOVERSION').trim();
  const path = join(folder, goVersion, program.name);
  if (existsSync(path)) return path;
  note(`building ${program.name} ${program.version} with ${goVersion}, which takes minutes once`);
  mkdirSync(join(folder, goVersion), { recursive: true });
  const draft = `${path}.${process.pid}`;
  try {
    // The slash makes Go write a file for each package.
    const verb = program.isTest ? ['test', '-c', '-vet=off'] : ['build'];
    run(...verb, ...program.flags, '-o', isFolder ? `${draft}/` : draft, ...[program.package].flat());
    placeBuild(draft, path);
  } finally {
    rmSync(draft, { force: true, recursive: isFolder });
  }
  return path;
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
