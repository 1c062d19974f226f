import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { flippedCopy } from '../bench.ts';
import { judgeOf, SubjectMissing } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';

const archiveIn = ({ image }: Bench): string => {
  const path = join(image, 'node-image.tar');
  if (!existsSync(path)) throw new SubjectMissing('make node-image');
  return path;
};
/** Within the first layer, which has 80 MB. */
const layerByte = 40 << 20;

/** The image of a whole node has the digests that its manifest names. */
export const imageArchive = judgeOf({
  name: 'skopeo',
  subject: 'archive of the node image',
  tool: debianTool('skopeo', 'skopeo', /version (\S+)/),
  isQuick: false,
  ours: archiveIn,
  broken: (bench) => flippedCopy(bench, archiveIn(bench), layerByte),
  async ask(archive, { path }, bench) {
    const words = [
      'copy',
      '--quiet',
      '--insecure-policy',
      `oci-archive:${archive}`,
      `dir:${bench.newPath('copied')}`,
    ];
    const { exitCode, stderr } = await runProgram(path, words);
    return exitCode === 0 ? [] : [{ id: 'not copied', text: stderr.trim() }];
  },
});
