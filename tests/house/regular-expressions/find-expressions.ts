import { readFileSync } from 'node:fs';

export interface FoundExpression {
  /** Path below the project. */
  readonly file: string;
  readonly expression: RegExp;
}

/** An expression begins behind one of these, where a division cannot stand. */
const literal =
  /(?:^|[=(,:;!&|?[{}>]|\breturn)\s*\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/gm;
const comment = /^\s*(?:\*|\/\*|\/\/)/;

/** The literal regular expressions of a file with TypeScript. */
export function findExpressions(file: string): FoundExpression[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const text = lines.filter((line) => !comment.test(line)).join('\n');
  return [...text.matchAll(literal)].flatMap(([, source = '', flags]) => {
    try {
      return [{ file, expression: new RegExp(source, flags) }];
    } catch {
      // A path or a comment that looks like one.
      return [];
    }
  });
}
