// What checkers of others say of the list of parts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { type Judge, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { pythonTool } from '../tool.ts';

interface PartsList {
  readonly packages: Record<string, unknown>[];
}

const listOf = ({ image }: Bench) => join(image, 'rootfs.spdx.json');

/** The list with a first package that was changed. */
function changedList(bench: Bench, change: (first: Record<string, unknown>) => void): string {
  const list = JSON.parse(readFileSync(listOf(bench), 'utf8')) as PartsList;
  const [first] = list.packages;
  if (first === undefined) throw new Error('the list of parts is empty');
  change(first);
  const path = bench.newPath('changed.spdx.json');
  writeFileSync(path, JSON.stringify(list));
  return path;
}

export const listOfParts: readonly Judge[] = [
  judgeOf({
    name: 'pyspdxtools',
    subject: 'list of parts',
    tool: pythonTool('pyspdxtools', 'spdx-tools'),
    isQuick: false,
    ours: listOf,
    // An expression of licences that names no licence.
    broken: (bench) =>
      changedList(bench, (first) => Object.assign(first, { licenseDeclared: 'no such licence' })),
    async ask(path, tool) {
      const { exitCode, stdout, stderr } = await runProgram(tool.path, ['--infile', path]);
      const isValid = exitCode === 0 && stdout.trim() === '';
      return isValid ? [] : [{ id: 'not valid', text: `${stdout}${stderr}`.trim() }];
    },
  }),
  judgeOf({
    name: 'ntia-checker',
    subject: 'list of parts',
    tool: pythonTool('ntia-checker', 'ntia-conformance-checker'),
    isQuick: false,
    ours: listOf,
    broken: (bench) => changedList(bench, (first) => delete first.supplier),
    async ask(path, tool) {
      const { stdout, stderr } = await runProgram(tool.path, ['--comply', 'ntia', path]);
      return /conformant.*True/i.test(stdout)
        ? []
        : [{ id: 'not conformant', text: `${stdout}${stderr}`.trim() }];
    },
  }),
];
