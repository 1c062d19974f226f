import { createInterface } from 'node:readline';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { InterruptedFailure, ReportedFailure } from '../context/failure.ts';
import { escapeLine } from '../output/escape-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import type { OutputOptions } from './node-options.ts';

/** What the questions of commands need of their environment. */
export type QuestionEnvironment = Pick<
  CliEnvironment,
  'stdin' | 'stdout' | 'stderr' | 'isInteractive' | 'signal'
>;

export interface QuestionsInit extends OutputOptions {
  /** The document of a command that ends because of an answer, with this error. */
  readonly document: (error: ReturnType<typeof documentError>) => unknown;
}

/** The questions of one command. Disposing lets go of the input. */
export interface Questions extends Disposable {
  /**
   * Prints the question, and resolves to the line that the user types; to an empty one at the end of the input.
   *
   * @throws InterruptedFailure after Ctrl-C, for which the document, if there is one, has been written
   */
  ask(question: string): Promise<string>;
  /** Whether the user answers with `y` or `yes`. @throws InterruptedFailure like `ask()` */
  isConfirmed(question: string): Promise<boolean>;
  /** Ends the command because the user did not agree. @throws ReportedFailure after it has written the document */
  refuse(): Promise<never>;
}

/**
 * Opens the questions of a command. All of them read from one place, so that lines which arrive together answer several
 * questions. A script must be able to tell that a command did nothing: an interrupt and a refusal are failures.
 *
 * @param init without it nothing is printed at an interrupt or a refusal: a command that may have done something before says so itself
 */
export function openQuestions(
  { stdin, stdout, stderr, signal }: Omit<QuestionEnvironment, 'isInteractive'>,
  init?: QuestionsInit,
): Questions {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const answers = lines[Symbol.asyncIterator]();
  // An input that has ended before emits no further end.
  const hadEnded = stdin.readableEnded;
  const nothingDone = async (message: string) => {
    if (init === undefined) return;
    const { output, document } = init;
    if (output === 'table') return;
    await writeDocument(stdout, output, document(documentError(new Fault('cancelled', message))));
  };
  const ask = async (question: string) => {
    stderr.write(escapeLine(question));
    const isOver = hadEnded || signal.aborted;
    const { value } = isOver ? { value: undefined } : await answers.next();
    if (!signal.aborted) return value === undefined ? '' : String(value);
    await nothingDone('interrupted at the question: nothing was done');
    throw new InterruptedFailure('nothing was done');
  };
  return {
    ask,
    isConfirmed: async (question) => /^y(es)?$/i.test((await ask(question)).trim()),
    async refuse() {
      if (init !== undefined) stderr.write('nothing was done\n');
      await nothingDone('not confirmed: nothing was done');
      throw new ReportedFailure();
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
