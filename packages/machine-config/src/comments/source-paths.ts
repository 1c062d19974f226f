import type { Path } from '../yaml/encode-yaml.ts';
import { isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { matchElements } from './match-elements.ts';

/**
 * Returns a function that tells where a value of a changed document was before: it leads from a path after the change to the path
 * before it, or to `undefined` for an element that is new. Keys keep their path, and elements of lists are found again.
 */
export function sourcePaths(before: YamlMap, after: YamlMap): (path: Path) => Path | undefined {
  const known = new Map<readonly YamlValue[], (number | undefined)[]>();
  return (path) => {
    const source: (string | number)[] = [];
    let [was, is]: [YamlValue | undefined, YamlValue | undefined] = [before, after];
    for (const part of path) {
      const place: string | number | undefined =
        typeof part === 'string' ? part : elementBefore(known, was, is, part);
      if (place === undefined) return undefined;
      source.push(place);
      [was, is] = [childOf(was, place), childOf(is, part)];
    }
    return source;
  };
}

function elementBefore(
  known: Map<readonly YamlValue[], (number | undefined)[]>,
  was: YamlValue | undefined,
  is: YamlValue | undefined,
  index: number,
): number | undefined {
  if (!isYamlList(was) || !isYamlList(is)) return undefined;
  const matched = known.get(is) ?? matchElements(was, is);
  known.set(is, matched);
  return matched[index];
}

function childOf(value: YamlValue | undefined, part: string | number): YamlValue | undefined {
  if (typeof part === 'number') return isYamlList(value) ? value[part] : undefined;
  return isYamlMap(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
