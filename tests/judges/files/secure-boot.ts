import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flippedCopy } from '../bench.ts';
import { judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';

const program = 'nodewright.efi';

/** UEFI firmware with our certificate starts the unified kernel image. */
export const secureBoot = judgeOf({
  name: 'sbverify',
  subject: 'signature of the unified kernel image',
  tool: debianTool('sbverify', 'sbsigntool', /sbverify (\S+)/),
  isQuick: true,
  ours: ({ image }) => join(image, program),
  broken: (bench) => flippedCopy(bench, join(bench.image, program), 1 << 20),
  async ask(signed, { path }, bench) {
    const certificate = bench.newPath('secure-boot.pem');
    const der = readFileSync(join(bench.image, 'secure-boot.crt')).toString('base64');
    writeFileSync(certificate, `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`);
    const { exitCode, stdout, stderr } = await runProgram(path, ['--cert', certificate, signed]);
    return exitCode === 0 ? [] : [{ id: 'not verified', text: `${stdout}${stderr}`.trim() }];
  },
});
