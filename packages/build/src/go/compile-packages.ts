import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type PrepareBuildInit, prepareBuild } from './build-program.ts';

export interface CompileProgress {
  /** Packages that were compiled by this call. */
  readonly compiled: number;
  /** All packages of the program; those that the cache of Go has are not compiled. */
  readonly packages: number;
}

/**
 * Compiles all packages of a program into the cache of Go, so that the build that follows only links. It reports its
 * progress, and one that is interrupted goes on where it was.
 *
 * @throws Error with the last line that Go printed
 */
export async function compilePackages(
  init: PrepareBuildInit & {
    readonly report: (progress: CompileProgress) => void;
  },
): Promise<void> {
  const { program, go, report } = init;
  using prepared = prepareBuild(init);
  const packages: string[] = [];
  const listing = program.isTest ? ['-deps', '-test'] : ['-deps'];
  const list = ['list', ...listing, ...program.flags, '-f', listed, ...[program.package].flat()];
  await runGo(go, list, prepared, (line) => packages.push(line), 'stdout');
  const rows = packages.map((line) => line.split('\t'));
  const names = rows.flatMap(([name = '']) => (isCompiled(name) ? [name] : []));
  // Go refuses the names of some packages that only tests need, and compiles what the others need.
  const isNamed = new Set(rows.flatMap(([name = '', isIndirect]) => (isIndirect === 'false' ? [name] : [])));
  const named = program.isTest ? names.filter((name) => isNamed.has(name)) : names;
  let compiled = 0;
  // Go links nothing when several packages are named.
  await runGo(go, ['build', '-v', ...program.flags, ...named], prepared, (line) => {
    if (!names.includes(line)) return;
    compiled += 1;
    report({ compiled, packages: names.length });
  });
}

/** The name of a package, and whether go.mod requires its module only for others. */
const listed = '{{.ImportPath}}\t{{with .Module}}{{.Indirect}}{{end}}';

/** Packages with tests in them are `a [a.test]`, and the program of the tests is `a.test`. */
const isCompiled = (name: string) => name !== 'unsafe' && !name.includes(' ') && !name.endsWith('.test');

/** Runs at the lowest priority, so that other work is not slowed down. */
async function runGo(
  go: string,
  args: readonly string[],
  { folder, environment }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
  take: (line: string) => void,
  source: 'stdout' | 'stderr' = 'stderr',
): Promise<void> {
  const child = spawn('nice', ['-n', '19', go, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let last = '';
  for (const name of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[name] }).on('line', (line) => {
      if (name === 'stderr' && line.trim() !== '') last = line.trim();
      if (name === source) take(line);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`go ${args[0]}: ${last || `it ended with ${code}`}`);
}
