import { ports } from '@nodewright/contract';
import { Caller, isCarriedOut } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const malformed = [
  '',
  ' ',
  'node01:50000',
  '[::1]',
  'a b',
  '..',
  'node01,node02',
  '%00',
  'x'.repeat(300),
  '127.0.0.1\t',
];

export const malformedNodes: AttackCheck = {
  name: 'malformed-nodes',
  what: 'calls whose node is no name and no address',
  async run({ target }) {
    using caller = await Caller.open(
      { host: target.entry.address, port: ports.apid },
      target.certificates.reader,
    );
    const problems: string[] = [];
    for (const key of ['node', 'nodes']) {
      for (const text of malformed) {
        const metadata = [[key, text]] as const;
        const answer = await caller.call({ path: '/machine.MachineService/Version', metadata });
        if (isCarriedOut(answer, metadata)) problems.push(`${key} ${JSON.stringify(text)} was answered`);
      }
    }
    const twice = await caller.call({
      path: '/machine.MachineService/Version',
      metadata: [
        ['node', target.entry.address],
        ['node', target.behind.address],
      ],
    });
    if (twice.code === 0) problems.push('two values of node were answered');
    return { summary: `${2 * malformed.length + 1} calls, ${problems.length} answered`, problems };
  },
};
