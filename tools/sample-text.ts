// `make sample-text SEED=`: prints a random sample of the project's texts, to be read by a person who does
// not know the project.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentsOf, draw, userTextsOf } from './sample-text/texts.ts';

const checkout = join(import.meta.dirname, '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' });

const seed = Number(process.env.SEED || Math.floor(Math.random() * 1e9));
const since = process.env.SINCE || '';
if (!Number.isInteger(seed)) {
  process.stderr.write(`SEED must be a whole number, not "${process.env.SEED}"\n`);
  process.exit(2);
}

const sources = git('ls-files', '*.ts')
  .split('\n')
  .filter((path) => path !== '' && !path.includes('/gen/'))
  .map((path) => ({ path, text: readFileSync(join(checkout, path), 'utf8') }));
const programs = sources.filter(({ path }) => !/\.test\.ts$|^tests\/|^tools\//.test(path));
const subjects = git('log', '--format=%s', ...(since === '' ? ['-50'] : [`${since}..`]))
  .trim()
  .split('\n');

const drawn = (
  [
    ['comments', sources.flatMap(commentsOf), 20],
    ['texts that users see', programs.flatMap(userTextsOf), 10],
    ['subjects of commits', subjects.map((text) => ({ path: '', text })), 10],
  ] as const
).map(([title, texts, count]) => {
  const lines = draw(texts, count, seed).map(
    ({ path, text }) => `- ${text}${path === '' ? '' : `  [${path}]`}`,
  );
  return `\n${title} (${texts.length})\n\n${lines.join('\n')}\n`;
});
// The reader of a pipe may close it early, as `head` does.
process.stdout.on('error', () => {});
process.stdout.write(`seed ${seed}\n${drawn.join('')}`);
