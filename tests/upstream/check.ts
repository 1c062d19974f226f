import assert from 'node:assert/strict';
import type { ClientResult } from './run-client.ts';
import type { Provisioner, Role, Subject } from './subject.ts';

/** One thing that the released client does against our nodes. */
export interface Check {
  /** As in its help: `etcd members`. */
  readonly command: string;
  /** What holds, as a sentence without a subject: `lists the members`. */
  readonly says: string;
  /** The one provisioner where it holds; on both by default. */
  readonly only?: Provisioner;
  /** The text of the refusal, where the command asks for what a node does not have yet. */
  readonly refusal?: string;
  /** Throws when it does not hold. */
  readonly run: (subject: Subject) => Promise<void>;
}

/** What one run of the client gives. */
export interface Expected {
  /** Default 0, or any where the client is interrupted. */
  readonly exitCode?: number;
  /** The client follows something: it is interrupted, as by Ctrl-C, once it has printed this. */
  readonly until?: RegExp;
  /** All of them match what it prints. */
  readonly stdout?: readonly RegExp[];
  readonly stderr?: readonly RegExp[];
  /** Whose certificate it shows; an administrator's by default. */
  readonly as?: Role;
  readonly only?: Provisioner;
  readonly environment?: Readonly<Record<string, string>>;
  /** Looks at what it left, after the rest. */
  readonly after?: (subject: Subject, result: ClientResult) => Promise<void> | void;
}

/**
 * A check of one run of the client. In `words`, `{node}`, `{second}` and `{worker}` stand for the names of both control
 * planes and the worker, `{folder}` for a folder of the run's own; see `Subject.fill`. Words are separated by blanks; a
 * list where one has blanks itself.
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
      const result = await subject.client(list, { role: as, until, environment });
      const whole = `talosctl ${list.join(' ')}: exit code ${result.exitCode}\n${result.stdout.slice(0, 2000)}\n${result.stderr.slice(0, 2000)}`;
      if (until === undefined) assert.equal(result.exitCode, exitCode, whole);
      else assert.match(result.stdout, until, whole);
      for (const text of stdout) assert.ok(text.test(result.stdout), `no ${text} on stdout of ${whole}`);
      for (const text of stderr) assert.ok(text.test(result.stderr), `no ${text} on stderr of ${whole}`);
      await after?.(subject, result);
    },
  };
}

/** A command that asks for what our nodes do not have yet: it ends with 1 and says so in these words. */
export function refuses(
  command: string,
  words: string | readonly string[],
  refusal: string,
  { only }: Pick<Expected, 'only'> = {},
): Check {
  const check = prints(command, 'says that the node has no such thing', words, {
    exitCode: 1,
    ...(only === undefined ? {} : { only }),
    after: (_, { stderr }) =>
      assert.ok(stderr.includes(refusal), `no "${refusal}" in ${stderr.slice(0, 2000)}`),
  });
  return { ...check, refusal };
}
