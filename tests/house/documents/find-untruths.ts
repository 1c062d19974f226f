/** What documents are compared with. */
export interface World {
  /** Whether a path from the root of the checkout exists. A name may end in `/`, and `*` stands for a part of it. */
  readonly hasPath: (path: string) => boolean;
  /** The text of a document, by its path from the root; undefined when it does not exist. */
  readonly textOf: (path: string) => string | undefined;
  /** Names of the folders and files at the root. */
  readonly roots: ReadonlySet<string>;
  readonly makeTargets: ReadonlySet<string>;
  /** Verbs of talosctl, with their other names. */
  readonly verbs: ReadonlySet<string>;
  /** Programs that machined starts, in any order. */
  readonly daemons: readonly string[];
  /** The one that enumerations may leave out, because the others have something in common. */
  readonly apart: string;
  /** Numbers that documents state, with what the code says today. */
  readonly statements: readonly Statement[];
}

/** A number in a document that a constant of the code decides. */
export interface Statement {
  readonly document: string;
  /** Matches the statement in the document's text, in which each run of spaces is one space. Its first group is the number. */
  readonly says: RegExp;
  /** What the number must be, in the unit of the document. */
  readonly value: number;
}

/** One line for each statement of a document that does not hold: a path, a link, a verb, a list of daemons, or a number. */
export function findUntruths(document: string, world: World): string[] {
  const text = world.textOf(document) ?? '';
  return [
    ...wrongPaths(text, document, world),
    ...wrongLinks(text, document, world),
    ...wrongVerbs(text, world),
    ...shortLists(text, world),
    ...wrongNumbers(text, document, world),
  ].map((line) => `${document}: ${line}`);
}

const codeSpan = /`([^`\n]+)`/g;
const block = /^ *```[^\n]*\n([\s\S]*?)^ *```/gm;

const withoutBlocks = (text: string) => text.replaceAll(block, '');

function wrongPaths(text: string, document: string, { hasPath, roots }: World): string[] {
  const folder = folderOf(document);
  return [...withoutBlocks(text).matchAll(codeSpan)]
    .map(([, span = '']) => span)
    .filter((span) => /^[\w.@-]+(?:\/[\w.@*-]+)+\/?$/.test(span))
    .filter(
      (span) =>
        roots.has(span.split('/')[0] ?? '') &&
        !hasPath(span) &&
        !hasPath(join(folder, span)) &&
        !hasPath(join(`${folder}/src`, span)),
    )
    .map((span) => `the path ${span} does not exist`);
}

function wrongLinks(text: string, document: string, { hasPath, textOf }: World): string[] {
  return [...withoutBlocks(text).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? document : join(folderOf(document), file);
    if (!hasPath(path)) return [`the link ${link} leads nowhere`];
    if (anchor === undefined || !path.endsWith('.md')) return [];
    return anchorsOf(textOf(path) ?? '').has(anchor) ? [] : [`the link ${link} leads to no heading`];
  });
}

/** Names that links to headings use, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const found = new Set<string>();
  const own = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name);
  for (const [, title = ''] of withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let name = slug;
    for (let again = 1; found.has(name); again++) name = `${slug}-${again}`;
    found.add(name);
  }
  return new Set([...found, ...own]);
}

/** Commands in blocks and in spans that begin with one. */
function wrongVerbs(text: string, { makeTargets, verbs }: World): string[] {
  const commands = [
    ...[...text.matchAll(block)].flatMap(([, lines = '']) => lines.split('\n')),
    ...[...withoutBlocks(text).matchAll(codeSpan)].map(([, span = '']) => span),
  ].map((line) => line.trim().replace(/^(?:\$|sudo) /, ''));
  return commands.flatMap((command) => {
    const target = /^make ([a-z][a-z0-9-]*)(?:[\s;&|]|$)/.exec(command)?.[1];
    if (target !== undefined && !makeTargets.has(target)) return [`make ${target} is no target`];
    const verb = /^(?:bin\/)?talosctl ([a-z][a-z-]*)(?:\s|$)/.exec(command)?.[1];
    return verb !== undefined && !verbs.has(verb) ? [`talosctl ${verb} is no command`] : [];
  });
}

/** Enumerations of daemons that name all but one: where one was added, the others were forgotten. */
function shortLists(text: string, { daemons, apart }: World): string[] {
  const name = `\`?(?:${daemons.join('|')})\`?`;
  const lists = new RegExp(`${name}(?:(?:,? and|,? or|,)(?: \\([^)]*\\))?\\s+${name})+`, 'g');
  return [...withoutBlocks(text).matchAll(lists)].flatMap(([found]) => {
    const missing = daemons.filter((daemon) => !new RegExp(`(?<![\\w-])${daemon}(?![\\w-])`).test(found));
    const list = oneLine(found);
    return missing.length === 1 && missing[0] !== apart ? [`${list} leaves out ${missing.join()}`] : [];
  });
}

function wrongNumbers(text: string, document: string, { statements }: World): string[] {
  const flat = oneLine(text);
  return statements
    .filter((statement) => statement.document === document)
    .flatMap(({ says, value }) => {
      const said = says.exec(flat)?.[1];
      if (said === undefined) return [`nothing is said that matches ${says}`];
      const number = Number(said.replaceAll(',', ''));
      return number === value ? [] : [`${said} of ${says} is ${value} in the code`];
    });
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');

function join(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') + (path.endsWith('/') ? '/' : '');
}
