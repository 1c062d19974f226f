import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { ListRequest } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { messagePrefix } from '@nodewright/h2';
import { Caller } from '../checks/call-once.ts';
import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import type { Flood } from './flood.ts';

const list = '/cosi.resource.State/List';
const version = '/machine.MachineService/Version';

const members = Array.from({ length: 1_800 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');

/** Each takes as many steps as an expression can, for every character of every id. */
const expressions = [
  `(?i)(?:[${members}a-z]?){900}!`,
  `(?:[^${members}]?){900}!`,
  `(?i)(?:[${'\\p{Greek}'.repeat(30)}]?){900}!`,
  '(?:.?){900}!',
  '^(.*)*!$',
  `(?:${'(){0}'.repeat(1_900)}.?){600}!`,
  `(${'|'.repeat(900)})!`,
];

/** The codes for an expression that is too large, and for one that takes too many steps: InvalidArgument, ResourceExhausted. */
const refusals: ReadonlySet<number | undefined> = new Set([3, 8]);

/** How long a cheap call may take meanwhile, on a machine that two other programs keep busy. */
const longestStopMs = 500;
const askMs = 20;
/** Between two lists: apid and machined answer them one after the other. */
const restMs = 100;

/** Lists of one caller, which would block machined if they were carried out to the end. */
export const expressionFloods: readonly Flood[] = [
  {
    name: 'expressions',
    what: 'a reader lists resources by expressions for their ids that take as many steps as possible',
    run: listResources,
    judge: ({ longestAnswerMs = 0, asked = 0, refused = 0 }) => [
      ...(longestAnswerMs > longestStopMs
        ? [`the node answered nothing else for ${Math.round(longestAnswerMs)} ms`]
        : []),
      ...(asked === 0 ? ['no other call was answered'] : []),
      ...(refused === 0 ? ['no expression was refused for its size or its steps'] : []),
    ],
  },
];

async function listResources(target: AttackTarget, signal: AbortSignal): Promise<FloodCounts> {
  const counts = { listed: 0, refused: 0, failed: 0, asked: 0, longestAnswerMs: 0 };
  const server = { host: target.entry.address, port: ports.apid };
  using attacker = await Caller.open(server, target.certificates.reader);
  using other = await Caller.open(server, target.certificates.operator);
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const startMs = performance.now();
      if ((await other.call({ path: version })).code === 0) counts.asked += 1;
      counts.longestAnswerMs = Math.max(counts.longestAnswerMs, performance.now() - startMs);
      await sleep(askMs);
    }
  })();
  for (let turn = 0; !signal.aborted && !attacker.session.destroyed; turn += 1) {
    const regexp = expressions[turn % expressions.length] ?? '';
    const { code } = await attacker.call({ path: list, body: bodyOf(regexp) });
    if (code === 0) counts.listed += 1;
    else if (refusals.has(code)) counts.refused += 1;
    else counts.failed += 1;
    await sleep(restMs);
  }
  isOver = true;
  await asking;
  return counts;
}

/** The definitions of resources are the kind with the most resources, whose ids are the longest. */
function bodyOf(regexp: string): Buffer {
  const message = ListRequest.encode({
    namespace: 'meta',
    type: 'ResourceDefinitions.meta.cosi.dev',
    options: { labelQuery: [], idQuery: { regexp } },
  }).finish();
  return Buffer.concat([messagePrefix(message.length), message]);
}
