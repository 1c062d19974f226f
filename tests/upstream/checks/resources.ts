// `get`: every kind that the node has, in every form.
import assert from 'node:assert/strict';
import { type Check, prints } from '../check.ts';
import type { Subject } from '../subject.ts';

const several = { only: ['process', 'docker'] } as const;
const machine = { only: ['qemu'] } as const;
/** Concurrent runs; each takes a connection and a tenth of a second of processor time. */
const atOnce = 4;

/** The names of all kinds, as the node lists them. */
async function kindsOf({ client }: Subject): Promise<string[]> {
  const { stdout } = await client(['-n', '{node}', 'get', 'rd', '-o', 'jsonpath={.metadata.id}']);
  return stdout.trim().split('\n');
}

/** The volumes that hold the state of a node, with their mounts by machined. */
const volumeChecks = [
  ...['STATE', 'EPHEMERAL'].flatMap((volume) => {
    const words = `-n {node} get volumestatus ${volume} -o yaml`;
    return [
      prints('get', `shows that volume ${volume} is a folder`, words, {
        ...several,
        stdout: [/phase: ready/, /type: directory/],
      }),
      prints('get', `shows that volume ${volume} is a partition`, words, {
        ...machine,
        stdout: [/phase: ready/, /type: partition/, /filesystem: xfs/],
      }),
    ];
  }),
  prints('get', 'lists the mounted volumes', '-n {node} get mountstatus', {
    stdout: [/\bSTATE\b/, /\bEPHEMERAL\b/],
  }),
];

function everyKind(form: string, isWell: (stdout: string) => boolean): Check {
  return {
    command: 'get',
    says: `gets every kind that the node has with -o ${form}`,
    async run(subject) {
      const kinds = await kindsOf(subject);
      assert.ok(kinds.length > 100, `${kinds.length} kinds`);
      const failures: string[] = [];
      const work = kinds.values();
      const worker = async () => {
        for (const kind of work) {
          const { exitCode, stdout, stderr } = await subject.client([
            '-n',
            '{node}',
            'get',
            kind,
            '-o',
            form,
          ]);
          if (exitCode !== 0 || !isWell(stdout))
            failures.push(`${kind}: ${exitCode} ${stderr}${stdout.slice(0, 200)}`);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      assert.deepEqual(failures, []);
    },
  };
}

/** Documents in order. */
function areJson(text: string): boolean {
  try {
    for (const part of text.trim().split(/\n(?=\{)/)) if (part !== '') JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

export const resourceChecks: readonly Check[] = [
  everyKind('table', (text) => text.startsWith('NODE')),
  everyKind('json', areJson),
  prints('get', 'prints resources as YAML', '-n {node} get machinestatus -o yaml', {
    stdout: [/^node: node01$/m, /stage: running/],
  }),
  prints('get', 'prints one field of a resource', '-n {node} get machinestatus -o jsonpath={.spec.stage}', {
    stdout: [/^running/],
  }),
  ...volumeChecks,
  prints('get', 'lists members of the cluster', '-n {node} get members', {
    stdout: ['node01 +cluster +Member +{worker} .* {worker.type} '],
  }),
  prints('get', 'watches a kind until it is interrupted', '-n {node} get members --watch', {
    until: '^node01 +\\+ +cluster +Member +{worker}',
  }),
  prints('get', 'reports a kind that does not exist', '-n {node} get nosuch', {
    exitCode: 1,
    stderr: [/resource "nosuch" is not registered/],
  }),
  prints('get', 'reports a resource that does not exist', '-n {node} get members nosuch', {
    exitCode: 1,
    stderr: [/NotFound/],
  }),
];
