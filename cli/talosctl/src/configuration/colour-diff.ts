import type { CliEnvironment } from '../context/command-module.ts';
import { type OwnText, ownText } from '../context/own-text.ts';

const colours: readonly { readonly start: RegExp; readonly colour: string }[] = [
  { start: /^(?:---|\+\+\+)/, colour: '1' },
  { start: /^@@/, colour: '36' },
  { start: /^\+/, colour: '32' },
  { start: /^-/, colour: '31' },
];

/** Whether to print colours on stderr. Source: no-color.org. */
export function wantsColours({ stderr, environment }: CliEnvironment): boolean {
  return Boolean(stderr.isTTY) && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Colours a unified diff, which may follow other text: removed lines are red, added lines are green. */
export function colourDiff(text: string): OwnText[] {
  let isDiff = false;
  return text.split('\n').map((line) => {
    isDiff ||= /^(?:--- |@@ )/.test(line);
    const found = isDiff ? colours.find(({ start }) => start.test(line)) : undefined;
    return found === undefined ? ownText`${line}` : ownText`\u001b[${found.colour}m${line}\u001b[0m`;
  });
}
