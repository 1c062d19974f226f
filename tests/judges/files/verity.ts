import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { flippedCopy } from '../bench.ts';
import { judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';

const root = 'rootfs.squashfs';

/** The root file system has the hash tree whose root is in the command line of the kernel. */
export const verity = judgeOf({
  name: 'veritysetup',
  subject: 'root file system and its hash tree',
  tool: debianTool('veritysetup', 'cryptsetup-bin', /veritysetup (\S+)/),
  isQuick: true,
  ours: ({ image }) => ({ image, data: join(image, root) }),
  broken: async (bench) => ({
    image: bench.image,
    data: await flippedCopy(bench, join(bench.image, root), 1 << 20),
  }),
  async ask({ image, data }, { path }) {
    const hash = rootHashIn(readFileSync(join(image, 'cmdline.txt'), 'utf8'));
    const { exitCode, stderr } = await runProgram(path, ['verify', data, join(image, 'rootfs.verity'), hash]);
    return exitCode === 0 ? [] : [{ id: 'not verified', text: stderr.trim() }];
  },
});
