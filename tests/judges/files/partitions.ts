import { join } from 'node:path';
import { flippedCopy } from '../bench.ts';
import { type Finding, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';

const disk = 'disk.raw';
/** A byte of the first entry of the table, which begins at the third sector. */
const tableByte = 2 * 512 + 40;

/** The partition table of the disk image. */
export const partitions = judgeOf({
  name: 'sgdisk',
  subject: 'partition table of the disk image',
  tool: debianTool('sgdisk', 'gdisk', /version (\S+)/),
  isQuick: true,
  ours: ({ image }) => join(image, disk),
  broken: (bench) => flippedCopy(bench, join(bench.image, disk), tableByte),
  async ask(image, { path }) {
    const { exitCode, stdout, stderr } = await runProgram(path, ['--verify', image]);
    return problemsOf(exitCode, `${stdout}\n${stderr}`);
  },
});

/** What `sgdisk --verify` reports. Its exit code is 0 also after problems. */
export function problemsOf(exitCode: number, text: string): Finding[] {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim().replaceAll(/\s+/g, ' '));
  const problems = paragraphs
    .filter((paragraph) => /^(Problem|Warning|Caution|Error|Invalid)/i.test(paragraph))
    .map((paragraph) => ({
      id: paragraph
        .split(/[(!.:]/, 2)
        .join(':')
        .trim(),
      text: paragraph,
    }));
  const isGood = exitCode === 0 && paragraphs.some((paragraph) => paragraph.startsWith('No problems found'));
  return isGood || problems.length > 0 ? problems : [{ id: 'not verified', text }];
}
