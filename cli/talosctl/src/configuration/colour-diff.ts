import type { CliEnvironment } from '../command-module.ts';

const reset = '\u001b[0m';
const colours: readonly { readonly start: RegExp; readonly colour: string }[] = [
  { start: /^(?:---|\+\+\+)/, colour: '\u001b[1m' },
  { start: /^@@/, colour: '\u001b[36m' },
  { start: /^\+/, colour: '\u001b[32m' },
  { start: /^-/, colour: '\u001b[31m' },
];

/** Whether stderr is a terminal whose user wants colours. Source: no-color.org. */
export function wantsColours({ stderr, environment }: CliEnvironment): boolean {
  return Boolean(stderr.isTTY) && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Colours the lines of a unified diff, wherever it begins in a text: what goes is red, what comes is green. */
export function colourDiff(text: string): string {
  let isDiff = false;
  return text
    .split('\n')
    .map((line) => {
      isDiff ||= /^(?:--- |@@ )/.test(line);
      const found = isDiff ? colours.find(({ start }) => start.test(line)) : undefined;
      return found === undefined ? line : `${found.colour}${line}${reset}`;
    })
    .join('\n');
}
