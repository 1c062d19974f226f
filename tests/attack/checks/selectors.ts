import { join } from 'node:path';
import { createWorkerSelectors } from '../../../services/machined/src/base/host/worker-selectors.ts';
import { checkout } from '../../cluster/run-talosctl.ts';
import type { AttackCheck } from './check.ts';

/** Processor time of the event loop without a turn. */
const longestTurnMs = 50;
/** What the process may use above what it used before, after all selectors. */
const maxGrowthMB = 96;

const names = Array.from({ length: 12 }, (_, index) => `x${index}`);
const items = Array.from({ length: 64 }, (_, index) => index).join();
const nested = (range: string, inner: string, depth: number) =>
  names.slice(0, depth).reduce((body, name) => `${range}.all(${name}, ${body})`, inner);
/** Each variable is twice the one before. */
const doubled = (first: string, times: number) =>
  `${[first, ...Array.from({ length: times }, (_, index) => `y${index} + y${index}`)]
    .map((value, index) => `[${value}].all(y${index}, `)
    .join('')}true${')'.repeat(times + 1)}`;

/** All of them pass the checks of a configuration. */
const hostile: Readonly<Record<string, string>> = {
  'nested macros': nested(`[${items}]`, 'x0 + x1 + x2 + x3 + x4 + x5 >= 0', 6),
  'nested macros over the disks': nested('disk.symlinks', 'x0 + x1 + x2 + x3 != x4', 8),
  'maps in maps': `[${items}].map(a, [${items}].map(b, [${items}].map(c, [${items}].map(d, [a, b, c, d])))).size() > 0`,
  'long texts': doubled("'0123456789abcdef'", 40),
  'long bytes': doubled("b'0123456789abcdef'", 40),
  'long lists': doubled('[1, 2, 3, 4, 5, 6, 7, 8]', 40),
  'many bytes': nested(`[${items}]`, `bytes('${'x'.repeat(4_000)}').size() > 0`, 4),
  'kept bytes': `[${items}].map(a, [${items}].map(b, [${items}].map(c, bytes('${'x'.repeat(4_000)}')))).size() > 0`,
  'time zones': nested(`[${items}]`, "timestamp(x0).getHours('Europe/Berlin') >= 0", 4),
  'an expression with a large program': nested(
    `[${items}]`,
    "disk.model.matches('((((a{50}){50})?b?){20})*!') || true",
    4,
  ),
  'an expression that is slow elsewhere': nested(
    `[${items}]`,
    `'${'a'.repeat(2_000)}'.matches('^(a*)*$') && '${'a'.repeat(2_000)}'.matches('(a|aa)*b') == false`,
    4,
  ),
  'deep brackets': `${'('.repeat(120)}true${')'.repeat(120)}`,
  'a deep list': `${'['.repeat(200)}1${']'.repeat(200)}.size() > 0`,
};

const candidates = Array.from({ length: 64 }, (_, index) => ({
  name: `/dev/sd${index}`,
  variables: {
    disk: {
      ...{ dev_path: `/dev/sd${index}`, size: index * 1e9, model: 'a'.repeat(60) },
      symlinks: Array.from({ length: 16 }, (_unused, link) => `/dev/disk/by-id/${link}`),
    },
    system_disk: index === 0,
  },
}));

const lookAtMemoryMs = 50;
const memoryMB = () => process.memoryUsage.rss() / 2 ** 20;

/** Watches the longest processor time between two turns of the event loop, and the memory of the process. */
function watchProcess() {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const found = { longestMs: 0, last: usedMs(), highestMB: memoryMB() };
  const turns = setInterval(() => {
    const now = usedMs();
    found.longestMs = Math.max(found.longestMs, now - found.last);
    found.last = now;
  }, 1);
  const looks = setInterval(() => {
    found.highestMB = Math.max(found.highestMB, memoryMB());
  }, lookAtMemoryMs);
  return Object.assign(found, {
    [Symbol.dispose]() {
      clearInterval(turns);
      clearInterval(looks);
    },
  });
}

export const selectors: AttackCheck = {
  name: 'selectors',
  what: 'selectors that take as much time or memory as they can, over 64 disks',
  async run() {
    const file = join(checkout, '_out', 'dist', 'machined', 'selector-worker.cjs');
    const { signal } = new AbortController();
    const evaluator = createWorkerSelectors({ file });
    const select = (expression: string) =>
      evaluator.select({ environment: 'disk', expression, candidates }, signal);
    await select('true');
    const beforeMB = memoryMB();
    const problems: string[] = [];
    let ended = 0;
    using watched = watchProcess();
    for (const [what, expression] of Object.entries(hostile)) {
      try {
        const selection = await select(expression);
        if ('problem' in selection) {
          ended += 1;
          if (!selection.problem.startsWith('the selector "')) problems.push(`${what}: ${selection.problem}`);
        }
      } catch (error) {
        problems.push(`${what}: ${String(error)}`);
      }
    }
    const next = await select('disk.size == 63000000000u');
    if (!('selected' in next) || next.selected.join() !== '/dev/sd63')
      problems.push(`the selector after them has another result: ${JSON.stringify(next)}`);
    const growthMB = watched.highestMB - beforeMB;
    if (ended === 0) problems.push('no selector was ended');
    if (watched.longestMs > longestTurnMs)
      problems.push(`the event loop was busy for ${Math.round(watched.longestMs)} ms without a turn`);
    if (growthMB > maxGrowthMB) problems.push(`the process grew by ${Math.round(growthMB)} MB`);
    return {
      summary: `${ended} of ${Object.keys(hostile).length} ended, longest turn ${Math.round(watched.longestMs)} ms, ${Math.round(growthMB)} MB more`,
      problems,
    };
  },
};
