// A judge is a program of others, or a list of our own, that says whether something of ours is right.
import type { Bench } from './bench.ts';
import type { Tool } from './tool.ts';

/** Something that a judge does not like. */
export interface Finding {
  /** Names it in the list of what is expected; the same in every run. */
  readonly id: string;
  /** What the judge said, for people. */
  readonly text?: string;
}

export interface Judge {
  readonly name: string;
  /** What it judges, for people. */
  readonly subject: string;
  readonly tool: Tool;
  /** Whether CI asks it, too. */
  readonly isQuick: boolean;
  /**
   * What it finds in the subject, or in one that was broken on purpose.
   *
   * @throws Error when it cannot be asked: the image was not built, or the program ended without a verdict
   */
  readonly examine: (bench: Bench, tool: FoundTool, isBroken: boolean) => Promise<readonly Finding[]>;
}

/** What says how to make a subject that is not there. */
export class SubjectMissing extends Error {}

/** A program on this machine. */
export interface FoundTool {
  readonly path: string;
  readonly version: string;
}

interface JudgeInit<Subject> extends Omit<Judge, 'examine'> {
  readonly ours: (bench: Bench) => Promise<Subject> | Subject;
  /** A subject in which the judge must find something that is not expected. */
  readonly broken: (bench: Bench) => Promise<Subject> | Subject;
  readonly ask: (
    subject: Subject,
    tool: FoundTool,
    bench: Bench,
  ) => Promise<readonly Finding[]> | readonly Finding[];
}

/** A judge that is asked the same for both subjects. */
export function judgeOf<Subject>({ ours, broken, ask, ...judge }: JudgeInit<Subject>): Judge {
  return {
    ...judge,
    async examine(bench, tool, isBroken) {
      return await ask(await (isBroken ? broken(bench) : ours(bench)), tool, bench);
    },
  };
}
