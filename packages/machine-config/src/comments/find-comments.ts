import { CST, Lexer } from 'yaml';

/** A comment as written in the source. */
export interface SourceComment {
  /** Text behind the `#`, without one leading space. */
  readonly text: string;
  /** Line number, from 1; so is `column`. */
  readonly line: number;
  readonly column: number;
  /** Nothing precedes the comment on its line. */
  readonly hasLineToItself: boolean;
  /** The line above is empty. */
  readonly followsBlankLine: boolean;
  /** Index of the document in the stream, from 0. Documents begin at `---`. */
  readonly section: number;
}

/** The range of a document in the text, without the `---` before it. */
export interface SourceSection {
  readonly start: number;
  readonly end: number;
  /** Line number, from 1. */
  readonly firstLine: number;
  /** The text holds only the document: no directive, and nothing on the line of the `---`. */
  readonly isPlain: boolean;
}

export interface SourceLayout {
  readonly comments: readonly SourceComment[];
  readonly sections: readonly SourceSection[];
}

/** Finds the comments and documents of a valid YAML text, with the lexer of the YAML library. */
export function findComments(text: string): SourceLayout {
  const lines = text.split('\n');
  const comments: SourceComment[] = [];
  const starts: { offset: number; line: number }[] = [];
  let hasDirective = false;
  for (const { kind, offset, word, line, column } of words(text)) {
    if (kind === 'doc-start') starts.push({ offset, line });
    if (kind === 'directive') hasDirective = true;
    if (kind !== 'comment') continue;
    comments.push({
      text: word.replace(/^# ?/, '').trimEnd(),
      line,
      column,
      hasLineToItself: (lines[line - 1] ?? '').slice(0, column - 1).trim() === '',
      followsBlankLine: line > 1 && (lines[line - 2] ?? '').trim() === '',
      section: starts.length,
    });
  }
  return { comments, sections: sectionsOf(text, starts, hasDirective) };
}

function sectionsOf(
  text: string,
  marks: readonly { offset: number; line: number }[],
  hasDirective: boolean,
): SourceSection[] {
  const ends = [...marks.map(({ offset }) => offset), text.length];
  return ends.map((end, at) => {
    const mark = marks[at - 1];
    if (!mark) return { start: 0, end, firstLine: 1, isPlain: !hasDirective };
    const newline = text.indexOf('\n', mark.offset);
    const isAlone = text.slice(mark.offset + 3, newline < 0 ? undefined : newline).trim() === '';
    const start = newline < 0 ? text.length : newline + 1;
    return { start: Math.min(start, end), end, firstLine: mark.line, isPlain: isAlone && !hasDirective };
  });
}

interface Word {
  readonly kind: string | null;
  readonly offset: number;
  readonly word: string;
  readonly line: number;
  readonly column: number;
}

function* words(text: string): Generator<Word> {
  let offset = 0;
  let line = 1;
  let lineStart = 0;
  let isText = false;
  for (const word of new Lexer().lex(text)) {
    const kind: string | null = isText ? 'text' : CST.tokenType(word);
    isText = kind === 'scalar';
    // Markers that the lexer inserts are not part of the text.
    if (kind === 'scalar' || kind === 'doc-mode' || kind === 'flow-error-end') continue;
    yield { kind, offset, word, line, column: offset - lineStart + 1 };
    offset += word.length;
    for (let at = word.indexOf('\n'); at >= 0; at = word.indexOf('\n', at + 1)) {
      line += 1;
      lineStart = offset - word.length + at + 1;
    }
  }
}
