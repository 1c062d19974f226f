// Asks an API server all the time, from this host or from a node, and measures how long it did not answer.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

export interface ApiWatch {
  /** Ends the questions. */
  stop(): Promise<ApiAnswers>;
}

export interface ApiAnswers {
  readonly answered: number;
  readonly failed: number;
  /** The longest time between two answers in a row, in seconds. */
  readonly longestGapSeconds: number;
  /** Seconds since the last answer. */
  readonly sinceLastSeconds: number;
}

/**
 * A program for Node.js: `node -e <program> <host> <port>`. It ends with its input. A question does not wait for the one before it: that one may
 * still be on its way to a node that has gone, which TCP notices a second or two after the address has moved.
 */
const program = `
const { get } = require('node:https');
const [host, port] = process.argv.slice(1);
let [answered, failed, longest, last] = [0, 0, 0, performance.now()];
const ask = () => new Promise((done) => {
  const request = get({ host, port, path: '/readyz', rejectUnauthorized: false, agent: false }, (response) => {
    response.resume();
    done(response.statusCode === 200);
  });
  request.setTimeout(2000, () => request.destroy(new Error('late')));
  request.on('error', () => done(false));
});
let isOver = false;
process.stdin.on('end', () => { isOver = true; }).resume();
const count = (isAnswer) => {
  if (!isAnswer) return void (failed += 1);
  answered += 1;
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
};
(async () => {
  while (!isOver) {
    ask().then(count);
    await new Promise((done) => setTimeout(done, 250));
  }
  const seconds = (ms) => Math.round(ms) / 1000;
  process.stdout.write(JSON.stringify({
    ...{ answered, failed, longestGapSeconds: seconds(longest) },
    sinceLastSeconds: seconds(performance.now() - last),
  }));
  process.exit();
})();
`;

/** @param container asks from this container instead of from this host */
export function watchApi(host: string, port: number, container?: string): ApiWatch {
  const words = ['-e', program, host, String(port)];
  const child =
    container === undefined
      ? spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
      : spawn('docker', ['exec', '-i', container, '/usr/bin/node', ...words], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
  const answers = answersOf(child);
  // It is awaited when the questions end.
  answers.catch(() => {});
  return {
    async stop() {
      child.stdin.end();
      return await answers;
    },
  };
}

async function answersOf(child: ChildProcessByStdio<Writable, Readable, null>): Promise<ApiAnswers> {
  const ended = once(child, 'close');
  const parts: string[] = [];
  for await (const part of child.stdout.setEncoding('utf8')) parts.push(part as string);
  await ended;
  return JSON.parse(parts.join('')) as ApiAnswers;
}
