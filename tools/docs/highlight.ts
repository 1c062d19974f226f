import { escapeHtml } from './escape-html.ts';

/** The kinds of parts that have a colour, as classes of the style sheet. */
type Part = 'comment' | 'text' | 'key' | 'number' | 'word' | 'option';

type Rules = readonly (readonly [Part, RegExp])[];

const doubleQuoted = /"(?:\\.|[^"\\\n])*"/;
const number = /(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.:/-])/;
const literal = /(?<![\w.-])(?:true|false|null)(?![\w.:/-])/;

// The first rule that fits at a place wins. They colour what helps to read a block, and know no grammar.
const languages: Readonly<Record<string, Rules>> = {
  sh: [
    ['comment', /(?<=^|\s)#[^\n]*/],
    ['text', /"(?:\\.|[^"\\])*"|'[^']*'/],
    ['number', /\$\{[^}\n]*\}|\$[A-Za-z_]\w*/],
    ['option', /(?<=\s)--?[A-Za-z][\w-]*/],
    [
      'word',
      /(?<=^|[\n;|(]\s*)(?:if|then|else|fi|for|while|until|do|done|sudo|make|bin\/talosctl|talosctl)(?=\s|;|$)/,
    ],
  ],
  yaml: [
    ['comment', /(?<=^|\s)#[^\n]*/],
    ['key', /(?<=^|\n|- )[ ]*(?:"[^"\n]*"|[\w./*-]+)(?=:(?:\s|$))/],
    ['text', /"(?:\\.|[^"\\\n])*"|'[^'\n]*'/],
    ['word', /(?<=^|\n)---(?=\n|$)/],
    ['number', /(?<=[:-] )(?:true|false|null|-?\d+(?:\.\d+)?)(?=\s|$)/],
  ],
  json: [
    ['key', /"(?:\\.|[^"\\\n])*"(?=\s*:)/],
    ['text', doubleQuoted],
    ['number', number],
    ['word', literal],
  ],
  hcl: [
    ['comment', /(?:#|\/\/)[^\n]*/],
    ['text', doubleQuoted],
    ['word', /(?<=^|\n)[ ]*(?:resource|data|provider|variable|output|locals|module|terraform)(?=[ "{])/],
    ['key', /(?<=^|\n)[ ]*[\w-]+(?=\s*=)/],
    ['number', number],
    ['word', literal],
  ],
  ts: [
    ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\//],
    ['text', /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/],
    [
      'word',
      /(?<![\w.$])(?:as|async|await|break|case|catch|class|const|continue|else|export|extends|finally|for|from|function|if|import|in|interface|let|new|of|return|satisfies|switch|throw|try|type|using|while|yield)(?![\w$])/,
    ],
    ['number', number],
  ],
};

const patterns = new Map(
  Object.entries(languages).map(([language, rules]) => [
    language,
    { rules, pattern: new RegExp(rules.map(([, { source }]) => `(${source})`).join('|'), 'g') },
  ]),
);

/** The languages whose blocks have colours. */
export const highlightedLanguages: readonly string[] = [...Object.keys(languages), 'console'];

/** The HTML of a block of code, with its parts as spans; without them for a language that is not known. */
export function highlight(language: string | undefined, text: string): string {
  if (language === 'console')
    return text
      .split(/(?<=\n)/)
      .map(consoleLine)
      .join('');
  const known = patterns.get(language ?? '');
  if (known === undefined) return escapeHtml(text);
  let html = '';
  let end = 0;
  for (const match of text.matchAll(known.pattern)) {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    const part = known.rules[index]?.[0] as Part;
    html += `${escapeHtml(text.slice(end, match.index))}<span class="code-${part}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}

/** A line of a terminal: what somebody typed after `$ `, or what was printed. */
function consoleLine(line: string): string {
  return line.startsWith('$ ')
    ? `<span class="code-comment">$ </span>${highlight('sh', line.slice(2))}`
    : escapeHtml(line);
}
