import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFile } from '../../chaos/history-file.ts';
import type { RecordedOperation } from '../../chaos/record-history.ts';
import type { Bench } from '../bench.ts';
import { judgeOf, SubjectMissing } from '../judge.ts';
import { runProgram } from '../run-program.ts';

const timeoutSeconds = 240;

function historyOf({ checkout }: Bench): string {
  const path = join(checkout, historyFile);
  if (!existsSync(path)) throw new SubjectMissing('make chaos records a history');
  return path;
}

/** A write is acknowledged, and a read that begins later does not see it. */
function lostWrite(bench: Bench): string {
  const rest = { key: 'h/0', unknown: false };
  const operations: RecordedOperation[] = [
    { client: 0, kind: 'write', value: '0-0', start: 0, end: 1, ...rest },
    { client: 1, kind: 'read', value: '', start: 2, end: 3, ...rest },
  ];
  const path = bench.newPath('lost-write.jsonl');
  writeFileSync(path, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
  return path;
}

/** What ten clients of etcd saw while programs and nodes were killed is what one register per key could have answered. */
export const linearizability = judgeOf({
  name: 'porcupine',
  subject: 'history of etcd under `make chaos`',
  tool: { kind: 'go', program: 'porcupine' },
  isQuick: false,
  ours: historyOf,
  broken: lostWrite,
  async ask(history, { path }) {
    const { exitCode, stdout, stderr } = await runProgram(path, [history, String(timeoutSeconds)]);
    if (exitCode !== 0) throw new Error(stderr.trim());
    const { result, operations } = JSON.parse(stdout) as {
      readonly result: string;
      readonly operations: number;
    };
    if (operations === 0) return [{ id: 'no operations' }];
    return result === 'Ok' ? [] : [{ id: `${result}: not linearizable`, text: `${operations} operations` }];
  },
});
