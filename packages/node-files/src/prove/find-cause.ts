import { formCauses, settingOf } from './form-causes.ts';
import type { ProofDifference } from './proof.ts';

export type Cause = Pick<ProofDifference, 'cause' | 'text'>;

/** Finds the cause of a file that is different, from the settings that it was made of: paths as `recorded()` writes them. */
export type FindCause = (reads: ReadonlySet<string>) => Cause;

/**
 * Both lists can have tens of thousands of entries when two configurations have nothing in common, so each is looked up and never searched
 * for every entry of the other.
 *
 * @param raw paths of `NodeSettings` that are different
 * @param settings the differences of the effective configuration
 */
export function createFindCause(raw: readonly string[], settings: readonly ProofDifference[]): FindCause {
  const effective = indexOf(settings);
  const known = raw.map((path) => ({
    path,
    flat: flatPath(path),
    difference: effective(settingOf(path)),
    form: formCauses.find(({ setting }) => setting.test(path))?.text,
  }));
  const around = settings
    .filter(({ cause }) => cause === 'unnamed')
    .map(({ name }) => ({ name, flat: flatPath(areaOf(name)) }));
  return (reads) => {
    const flat = new Set([...reads].map((read) => read.replaceAll('/', '.')));
    const read = known.filter((each) => flat.has(each.flat));
    const bad = read.find(({ difference }) => difference?.cause === 'unnamed')?.difference;
    const unknown = read.find(({ form, difference }) => form === undefined && difference === undefined);
    // Where a rule of upstream's nodes makes the difference, the values themselves may be the same.
    const name = bad?.name ?? unknown?.path ?? around.find((each) => flat.has(each.flat))?.name;
    if (name !== undefined) return { cause: 'unnamed', text: `the setting ${name} is different` };
    const named = read.find(({ difference }) => difference !== undefined)?.difference;
    if (named !== undefined)
      return { cause: 'named', text: `the setting ${named.name} is different: ${named.text}` };
    const texts = [...new Set(read.flatMap(({ form }) => form ?? []))];
    if (texts.length === 0) return { cause: 'unnamed', text: 'nothing says why' };
    return { cause: 'form', text: texts.join('; ') };
  };
}

/** The difference at a path, around it or below it; one without a named cause before others. */
function indexOf(settings: readonly ProofDifference[]) {
  const at = new Map<string, ProofDifference>();
  const below = new Map<string, ProofDifference>();
  const add = (map: Map<string, ProofDifference>, path: string, difference: ProofDifference) => {
    if (!map.has(path) || difference.cause === 'unnamed') map.set(path, difference);
  };
  for (const difference of settings) {
    add(at, difference.name, difference);
    for (const path of pathsAround(difference.name)) add(below, path, difference);
  }
  return (path: string): ProofDifference | undefined => {
    const found = [at.get(path), below.get(path), ...pathsAround(path).map((each) => at.get(each))];
    return found.find((each) => each?.cause === 'unnamed') ?? found.find((each) => each !== undefined);
  };
}

/** `a.b[0].c` is in `a`, `a.b` and `a.b[0]`. */
function pathsAround(path: string): string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
}

/** The form of a path in which keys that have dots do not matter. */
const flatPath = (path: string) => `.${path.replaceAll('/', '..').replace(/\[(\d+)\]/g, '.$1')}`;

/** The group of settings that a setting is in, such as `controlPlane.authorizers`. */
function areaOf(name: string): string {
  const [first = '', second] = name.split(/[.[]/);
  const isGroup = ['cluster', 'controlPlane', 'kubelet', 'manifests', 'node', 'registries'].includes(first);
  return isGroup && second !== undefined ? `${first}.${second}` : first;
}
