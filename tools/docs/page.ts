/** The groups of pages in the navigation, in order. */
export const pageGroups = [
  'Start',
  'Concepts',
  'Tutorials',
  'How-tos',
  'Commands',
  'Configuration',
  'Resources',
  'API',
  'Operation',
  'Internals',
] as const;

export type PageGroup = (typeof pageGroups)[number];

/** One page of the documentation. */
export interface Page {
  /** The name of its file without `.html`, unique: `command-etcd`. */
  readonly id: string;
  readonly title: string;
  readonly group: PageGroup;
  /** The text, in Markdown. Its first line is the only heading of the first level. */
  readonly markdown: string;
  /** Where the text comes from, relative to the checkout; relative links in the text start from its folder. */
  readonly source?: string;
  /** The file that the page is made by or of: a link to it in a text leads to the page. */
  readonly madeBy?: string;
  /** A page of the reference: names in it lead nowhere, because every one of them would. */
  readonly isReference?: boolean;
  /** How much a match counts in the search, 1 by default: less for a page that mentions everything. */
  readonly searchWeight?: number;
}

/** A table in Markdown. Line breaks and bars in cells are escaped. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''].join('\n');
}

function cellText(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll(/(?<!\\)\|/g, '\\|');
}

/** Text in Markdown that is shown as it is, in the font of code. Empty text stays empty. */
export function code(text: string): string {
  if (text === '') return '';
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Text in Markdown that is shown as it is, in the font of prose. */
export function prose(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/** A fenced block of code in Markdown. */
export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

/** The anchor of a heading: letters, digits, dots and dashes. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.[\]*]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}
