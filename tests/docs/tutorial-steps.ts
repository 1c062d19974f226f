import { readFileSync } from 'node:fs';

/** A command block of a tutorial, and what it prints. */
export interface TutorialStep {
  readonly commands: string;
  /** Lines of the output, in any order and with others between them. `…` stands for any text. */
  readonly expected: readonly string[];
}

export interface Tutorial {
  readonly steps: readonly TutorialStep[];
  /** What a machine must have to run it: a key of the table in `tutorial-needs.ts`. */
  readonly needs: string | undefined;
}

/** Reads a tutorial: each block of `sh` is a step, and a block of `text` right after it is what it prints. */
export function readTutorial(path: string): Tutorial {
  const markdown = readFileSync(path, 'utf8');
  const needs = /^<!-- needs: (\w+) -->$/m.exec(markdown)?.[1];
  // What is not run shows files of other programs.
  if (needs === 'outside') return { steps: [], needs };
  const steps: TutorialStep[] = [];
  let isAfterCommands = false;
  for (const [, language, content = '', between = ''] of markdown.matchAll(
    /^```(\w+)\n(.*?)^```$\n(.*?)(?=^```|$(?![\s\S]))/gms,
  )) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ commands: content, expected: [] });
    else if (language === 'text' && isAfterCommands && last !== undefined)
      steps[steps.length - 1] = { ...last, expected: content.trimEnd().split('\n') };
    else throw new Error(`${path}: a block of "${language}" that is neither commands nor their output`);
    isAfterCommands = language === 'sh' && between.trim() === '';
  }
  return { steps, needs };
}

/** The first expected line for which the output has no line of its own. */
export function missingLine(expected: readonly string[], output: string): string | undefined {
  const lines = output.split('\n').map(withSingleSpaces);
  for (const line of expected) {
    const pattern = patternOf(line);
    const at = lines.findIndex((each) => pattern.test(each));
    if (at < 0) return line;
    lines.splice(at, 1);
  }
  return undefined;
}

const withSingleSpaces = (line: string) => line.replaceAll(/\s+/g, ' ').trim();

function patternOf(line: string): RegExp {
  const parts = withSingleSpaces(line)
    .split('…')
    .map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
