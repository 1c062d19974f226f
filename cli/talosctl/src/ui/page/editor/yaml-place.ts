/** A place in the text of a configuration, as completion needs it. */
export interface YamlPlace {
  /** The kind of the document; empty for the document without `kind`. */
  readonly kind: string;
  /** The keys that lead to the map with the place. Elements of lists have no key of their own. */
  readonly path: readonly string[];
  /** The key whose value stands at the place; undefined where a key stands. */
  readonly key: string | undefined;
  /** Where the word at the place begins, as an offset in the text. */
  readonly from: number;
  /** The other keys of the same map. */
  readonly siblings: ReadonlySet<string>;
}

interface Line {
  /** Columns of the dashes that begin list elements. */
  readonly dashes: readonly number[];
  /** Column of what follows them. */
  readonly column: number;
  readonly key: string | undefined;
}

const lineForm = /^( *(?:- +)*)(?:([\w.$/-]+):(?= |$))?/;

/** Finds the place by indentation, which also works while the text is not complete. */
export function yamlPlace(text: string, offset: number): YamlPlace | undefined {
  const lines = text.split('\n');
  let [row, start] = [0, 0];
  while (row < lines.length - 1 && start + (lines[row]?.length ?? 0) < offset) {
    start += (lines[row]?.length ?? 0) + 1;
    row += 1;
  }
  const typed = (lines[row] ?? '').slice(0, offset - start);
  const [, prefix = '', key, word = ''] = /^( *(?:- +)*)(?:([\w.$/-]+):\s+)?([\w.$/-]*)$/.exec(typed) ?? [];
  if (!/^[ \w.$/:-]*$/.test(typed) || typed.length - word.length < prefix.length) return undefined;
  if (prefix === '' && key === undefined && word === '' && typed !== '') return undefined;
  const first = lines.findLastIndex((line, at) => at < row && isBoundary(line)) + 1;
  const next = lines.findIndex((line, at) => at > row && isBoundary(line));
  const document = lines.slice(first, next < 0 ? undefined : next);
  return {
    kind: kindOf(document),
    ...{ key, from: offset - word.length },
    ...placeOf(document, row - first, readLine(`${prefix}${key ?? 'x'}:`)),
  };
}

const isBoundary = (line: string) => /^---(?:\s|$)/.test(line);

function kindOf(document: readonly string[]): string {
  return document.flatMap((line) => /^kind:\s*["']?(\w+)/.exec(line)?.[1] ?? [])[0] ?? '';
}

function readLine(line: string): Line {
  const [, prefix = '', key] = lineForm.exec(line) ?? [];
  const dashes = [...prefix].flatMap((character, at) => (character === '-' ? [at] : []));
  return { dashes, column: prefix.length, key };
}

function placeOf(document: readonly string[], row: number, here: Line): Pick<YamlPlace, 'path' | 'siblings'> {
  const lines = document.map((line) => (/^\s*(?:#|$)/.test(line) ? undefined : readLine(line)));
  const path: string[] = [];
  const siblings = new Set<string>();
  /** The next parent has a key at a smaller column. */
  let limit = here.column;
  let inElement = here.dashes.length > 0;
  if (inElement) limit = (here.dashes[0] ?? 0) + 1;
  else collect(lines.slice(row + 1), limit, siblings);
  for (let at = row - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined) continue;
    const [dash] = line.dashes;
    if (!inElement && line.column === limit && line.key !== undefined) {
      if (path.length === 0) siblings.add(line.key);
      // The first key of a list element: what follows is the parent of the list.
      if (dash !== undefined) {
        limit = dash + 1;
        inElement = true;
      }
    } else if (dash === undefined && line.column < limit && line.key !== undefined) {
      path.unshift(line.key);
      limit = line.column;
      inElement = false;
    } else if (dash !== undefined && line.column < limit && line.key !== undefined) {
      path.unshift(line.key);
      limit = dash + 1;
      inElement = true;
    }
  }
  return { path, siblings };
}

/** The keys below the place that belong to the same map. */
function collect(lines: readonly (Line | undefined)[], column: number, siblings: Set<string>): void {
  for (const line of lines) {
    if (line === undefined) continue;
    if (line.column < column || line.dashes.length > 0) return;
    if (line.column === column && line.key !== undefined) siblings.add(line.key);
  }
}
