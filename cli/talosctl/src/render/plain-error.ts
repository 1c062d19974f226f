import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';

/** Clearer words than the system's own for some failures. */
const words: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'the address is not one of this machine',
  EAI_AGAIN: 'the name server does not answer',
  EBADF: 'it is closed',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to host',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'no such host',
  EPIPE: 'the reader has gone',
};

/** System calls that mean nothing to a reader next to the failure. */
const silentSteps = new Set(['getaddrinfo', 'read', 'write', 'scandir', 'lstat', 'stat']);

/** `connection refused` for ECONNREFUSED; undefined for errors that are not from the system. */
function wordsOf(code: string): string | undefined {
  if (Object.hasOwn(words, code)) return words[code];
  const errno: Readonly<Record<string, number>> = constants.errno;
  return Object.hasOwn(errno, code) ? getSystemErrorMessage(-(errno[code] as number)) : undefined;
}

/** `open "/a": no such file or directory`; only the failure when the text before it has named the subject. */
function named(before: string, step: string, subject: string | undefined, failure: string): string {
  if (subject !== undefined && before.includes(subject)) return failure;
  const shown = subject?.startsWith('/') ? JSON.stringify(subject) : subject;
  const what = [silentSteps.has(step) ? '' : step, shown ?? ''].filter((part) => part !== '').join(' ');
  return what === '' ? failure : `${what}: ${failure}`;
}

/**
 * The text of a failure without the error codes of the system, without versions of resources that do not
 * exist, and without repetition. Source: Node.js: messages of system errors.
 */
export function plainError(text: string): string {
  return (
    text
      // ENOENT: no such file or directory, open '/a' -> '/b'
      .replace(
        /\b(E[A-Z]{2,}): [^,:]+, (\w+)(?: '([^']*)'(?: -> '[^']*')?)?/g,
        (whole, code: string, step: string, path: string | undefined, at: number) => {
          const failure = wordsOf(code);
          return failure === undefined ? whole : named(text.slice(0, at), step, path, failure);
        },
      )
      // connect ECONNREFUSED 127.0.0.1:50000
      .replace(
        /\b([a-z]+) (E[A-Z_]{3,})(?: ([^\s(),]*\w))?/g,
        (whole, step: string, code: string, subject: string | undefined, at: number) => {
          const failure = wordsOf(code);
          return failure === undefined ? whole : named(text.slice(0, at), step, subject, failure);
        },
      )
      .replace(/(?<![\w/.-])(E[A-Z_]{3,})(?![\w/.-])/g, (code) => wordsOf(code) ?? code)
      .replace(
        /resource (\w+)\.[\w.]+\(([^/()]*)\/(.*?)@undefined\) doesn't exist/g,
        (_, kind: string, namespace: string, id: string) =>
          `there is no ${JSON.stringify(id)} among the ${kind.toLowerCase()} of namespace ${namespace}`,
      )
      .replace(/(^|: )([^:]{4,}): \2(?=$|:)/g, '$1$2')
  );
}
