import assert from 'node:assert/strict';
import type { ClientResult } from './run-client.ts';
import type { Provisioner, Role, Subject } from './subject.ts';

/** One check of the released client against our nodes. */
export interface Check {
  /** As in its help: `etcd members`. */
  readonly command: string;
  /** What must hold, as a sentence without a subject: `lists the members`. */
  readonly says: string;
  /** The provisioners on which it holds; all by default. */
  readonly only?: readonly Provisioner[];
  /** The text of the refusal, when the command needs a feature that our nodes lack. */
  readonly refusal?: string;
  /** Throws when the check fails. */
  readonly run: (subject: Subject) => Promise<void>;
}

/** A string is a regular expression in which names are filled in; see `Subject.fill`. */
export type Pattern = RegExp | string;

/** One run of the client and its expected result. */
export interface Expected {
  /** Default 0, or any when the client is interrupted. */
  readonly exitCode?: number;
  /** For a client that runs until it is stopped: interrupt it, as Ctrl-C does, once it has printed this. */
  readonly until?: Pattern;
  /** Its output must match all of them. */
  readonly stdout?: readonly Pattern[];
  readonly stderr?: readonly Pattern[];
  /** The role of its certificate; an administrator's by default. */
  readonly as?: Role;
  readonly only?: readonly Provisioner[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Checks what it left behind, after the rest. */
  readonly after?: (subject: Subject, result: ClientResult) => Promise<void> | void;
}

/**
 * A check of one run of the client. In `words`, `{node}`, `{second}` and `{worker}` are replaced by the names
 * of both control planes and the worker, and `{folder}` by a folder of the run; see `Subject.fill`. Words are
 * separated by blanks; use a list when a word contains a blank.
 */
export function prints(
  command: string,
  says: string,
  words: string | readonly string[],
  expected: Expected = {},
): Check {
  const { exitCode = 0, stdout = [], stderr = [], until, as = 'admin', only, environment, after } = expected;
  const list = typeof words === 'string' ? words.split(' ') : words;
  return {
    command,
    says,
    ...(only === undefined ? {} : { only }),
    async run(subject) {
      const patternOf = (text: Pattern) =>
        typeof text === 'string' ? new RegExp(subject.fill(text), 'm') : text;
      const ending = until === undefined ? undefined : patternOf(until);
      const result = await subject.client(list, { role: as, until: ending, environment });
      const whole = `talosctl ${list.join(' ')}: exit code ${result.exitCode}\n${result.stdout.slice(0, 2000)}\n${result.stderr.slice(0, 2000)}`;
      if (ending === undefined) assert.equal(result.exitCode, exitCode, whole);
      else assert.match(result.stdout, ending, whole);
      for (const name of ['stdout', 'stderr'] as const) {
        for (const text of (name === 'stdout' ? stdout : stderr).map(patternOf))
          assert.ok(text.test(result[name]), `no ${text} on ${name} of ${whole}`);
      }
      await after?.(subject, result);
    },
  };
}

/** A command that needs a feature that our nodes lack: it exits with 1 and this text. */
export function refuses(
  command: string,
  words: string | readonly string[],
  refusal: string,
  { only }: Pick<Expected, 'only'> = {},
): Check {
  const check = prints(command, 'reports that the node lacks the feature', words, {
    exitCode: 1,
    ...(only === undefined ? {} : { only }),
    after: (_, { stderr }) =>
      assert.ok(stderr.includes(refusal), `no "${refusal}" in ${stderr.slice(0, 2000)}`),
  });
  return { ...check, refusal };
}
