import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findGo } from '@nodewright/build/go';

/** One commit carries both version tags: the one of the Go module and the one of the program. */
export const jaegerVersion = '2.13.0';
const module = 'github.com/jaegertracing/jaeger';
const moduleVersion = 'v1.76.0';
/** The Go version that Jaeger's go.mod requires. */
const leastGoMinor = 25;
/**
 * The sums of the module and of its go.mod, in the format of go.sum. Jaeger's own go.sum pins everything
 * else.
 */
const sums = [
  `${module} ${moduleVersion} h1:sWCOOF1dr+NL0PLil7mFo3BqqQL8k4WiM7aguFbc14g=`,
  `${module} ${moduleVersion}/go.mod h1:hqcuJlLDTv7G2x5eFd/BhwcPdLxj3N+90aKhIzdOcKo=`,
];

/**
 * Builds Jaeger as `path` below the folder `cache`, unless it is there, and returns its path. Takes minutes
 * of processor time, at the lowest priority.
 *
 * @throws Error with one line when there is no Go, or the build fails
 */
export function buildJaeger(cache: string, path: string, note: (line: string) => void): string {
  const program = join(cache, path);
  if (existsSync(program)) return program;
  const goProgram = findGo({ leastMinor: leastGoMinor, folder: join(cache, 'go'), note });
  const go = (cwd: string, args: readonly string[]) => run(goProgram, cwd, args);
  note(`building Jaeger ${jaegerVersion} from its Go module, which takes minutes`);
  const wrapper = mkdtempSync(join(tmpdir(), 'jaeger-'));
  try {
    // `go install` refuses a module with `replace` lines. So a wrapper module requires it and repeats those
    // lines.
    const { Dir: source } = JSON.parse(
      go(wrapper, ['mod', 'download', '-json', `${module}@${moduleVersion}`]),
    ) as { Dir: string };
    const own = readFileSync(join(source, 'go.mod'), 'utf8').replace(/^module .*$/m, 'module wrapper');
    writeFileSync(join(wrapper, 'go.mod'), `${own}\nrequire ${module} ${moduleVersion}\n`);
    const pinned = readFileSync(join(source, 'go.sum'), 'utf8');
    writeFileSync(join(wrapper, 'go.sum'), `${pinned.trimEnd()}\n${sums.join('\n')}\n`);
    mkdirSync(dirname(program), { recursive: true });
    const draft = `${program}.${process.pid}`;
    const flags = `-s -w -X ${module}/internal/version.latestVersion=v${jaegerVersion}`;
    go(wrapper, [
      ...['build', '-mod=mod', '-trimpath', '-buildvcs=false', '-ldflags', flags],
      ...['-o', draft, `${module}/cmd/jaeger`],
    ]);
    renameSync(draft, program);
    return program;
  } finally {
    rmSync(wrapper, { recursive: true, force: true });
  }
}

function run(go: string, cwd: string, args: readonly string[]): string {
  return execFileSync('nice', ['-n', '19', go, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
    // Go prints a line per download.
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}
