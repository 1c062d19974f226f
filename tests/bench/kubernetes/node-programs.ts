/** A process of a node, as `docker top` shows it. */
export interface NodeProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes of `docker top NODE -eo pid,args`. */
export function parseTop(text: string): NodeProcess[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+)\s+(\S.*?)\s*$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), command }];
  });
}

/** The program of a command line, by the name that its figures have: `kube-proxy`, `machined`. */
export function programOf(command: string): string {
  // The daemons of a node are scripts of one program.
  const [, daemon] = /\/([a-z-]+)\.cjs( |$)/.exec(command) ?? [];
  return daemon ?? command.replace(/ .*$/, '').replace(/^.*\//, '');
}

/** Sums by program, the largest first. */
export function sumByProgram(
  processes: readonly { readonly command: string; readonly megabytes: number }[],
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { command, megabytes } of processes) {
    const program = programOf(command);
    sums.set(program, (sums.get(program) ?? 0) + megabytes);
  }
  return new Map([...sums].toSorted(([, a], [, b]) => b - a));
}

const unitsMb: Readonly<Record<string, number>> = { B: 1e-6, kB: 1e-3, MB: 1, GB: 1e3 };

/**
 * Megabytes of a size that Docker prints, such as `580.4MB`.
 *
 * @throws Error of one line when it is no such size
 */
export function sizeMb(text: string): number {
  const [, number, unit = ''] = /^([\d.]+)([a-zA-Z]+)$/.exec(text) ?? [];
  const factor = unitsMb[unit];
  if (factor === undefined) throw new Error(`Docker printed ${text}, which is no size`);
  return Number(number) * factor;
}

/** The steps that `cluster create` prints without a terminal, each with its seconds. */
export function parseSteps(text: string): { readonly step: string; readonly seconds: number }[] {
  return [...text.matchAll(/^(?!cluster ")(.+) ([\d.]+)s$/gm)].map(([, step = '', seconds]) => ({
    step,
    seconds: Number(seconds),
  }));
}
