import type { StreamOutcome } from '../load/load-job.ts';
import type { UnaryFigures } from '../measure/unary-figures.ts';
import { medianRatio } from '../median.ts';
import type { MemoryLevel } from '../watch-memory.ts';
import type { BenchResults, MemoryResult, StreamResult, UnaryResult } from './bench-results.ts';
import { renderTable } from './render-table.ts';

const whole = (value: number) => value.toFixed(0);
const tenth = (value: number) => value.toFixed(1);
const hundredth = (value: number) => value.toFixed(2);
const absent = '-';

/** All results as text for users. */
export function renderResults(results: BenchResults): string {
  const { machine, nghttpx, goProxy } = results;
  const head = [
    `${machine.processors} x ${machine.processor}, Linux ${machine.kernel}, node ${machine.node}`,
    `nghttpx ${nghttpx ?? 'absent'}, Go proxy ${goProxy ?? 'absent'}, commit ${machine.commit ?? 'unknown'}`,
  ].join('\n');
  const parts = [
    results.unary.length > 0 ? renderUnary('Version', results.unary) : '',
    results.unary.length > 0
      ? renderUnary('Version, the first second of new gateways', results.cold ?? [])
      : '',
    results.fanOut.length > 0 ? renderFanOut(results.fanOut) : '',
    results.stream.length > 0 ? renderStream(results.stream) : '',
    renderMemory(results.memory),
    results.notes.map((note) => `note: ${note}\n`).join(''),
  ];
  return [`${head}\n`, ...parts.filter((part) => part !== '')].join('\n');
}

function renderUnary(title: string, results: readonly UnaryResult[]): string {
  return renderTable({
    heads: [
      title,
      'streams',
      'requests\n/s',
      'p50\nµs',
      'p99\nµs',
      'p99 over\nnghttpx',
      'gateways\nCPU µs/request',
      'over\nnghttpx',
      'over\nGo proxy',
      'machined\nCPU µs/request',
      'load client\nbusy %',
    ],
    rows: results.map((result) => {
      const { target, streams, median } = result;
      return [
        target,
        whole(streams),
        whole(median.requestsPerSecond),
        whole(median.p50),
        whole(median.p99),
        ratioToPeer(results, result, 'nghttpx', ({ p99 }) => p99),
        cpuOf(median.cpu.gateways),
        ratioToPeer(results, result, 'nghttpx', gatewayCpu),
        ratioToPeer(results, result, 'go-proxy', gatewayCpu),
        cpuOf(median.cpu.machined),
        whole(median.loadPercent),
      ];
    }),
  });
}

const gatewayCpu = ({ cpu }: UnaryFigures) => cpu.gateways ?? Number.NaN;

/** A figure of apid relative to that of the same number of another gateway. */
function ratioToPeer(
  results: readonly UnaryResult[],
  { gateway, hops, streams, runs }: UnaryResult,
  than: UnaryResult['gateway'],
  figureOf: (figures: UnaryFigures) => number,
): string {
  const peer = results.find(
    (other) => other.gateway === than && other.hops === hops && other.streams === streams,
  );
  if (gateway !== 'apid' || peer === undefined) return absent;
  const figuresIn = (result: Pick<UnaryResult, 'runs'>) =>
    result.runs.map(({ figures }) => figureOf(figures));
  return `x ${hundredth(medianRatio(figuresIn({ runs }), figuresIn(peer)))}`;
}

function renderFanOut(results: readonly UnaryResult[]): string {
  return renderTable({
    heads: [
      'Version of several nodes',
      'streams',
      'requests\n/s',
      'p50\nµs',
      'p99\nµs',
      'apid that is asked\nCPU µs/request',
      'other apids\nCPU µs/request',
      'machined\nCPU µs/request',
      'load client\nbusy %',
    ],
    rows: results.map(({ target, streams, median }) => [
      target,
      whole(streams),
      whole(median.requestsPerSecond),
      whole(median.p50),
      whole(median.p99),
      cpuOf(median.cpu.gateway),
      cpuOf(median.cpu.peers),
      cpuOf(median.cpu.machined),
      whole(median.loadPercent),
    ]),
  });
}

function renderStream(results: readonly StreamResult[]): string {
  return renderTable({
    heads: [
      'Stream of 32 KiB messages',
      'reader',
      'MB',
      'MB/s',
      'MB/s over\nnghttpx',
      'gateway\nCPU ms/100 MB',
      'over\nnghttpx',
      'resident MB\nbefore',
      'highest in\n1st half',
      'highest in\n2nd half',
      'after',
    ],
    rows: results.map((result) => {
      const { memory } = result;
      return [
        result.isFirst === true ? `${result.target}, the first` : result.target,
        result.reader,
        whole(result.megabytes),
        whole(result.megabytesPerSecond),
        streamRatio(results, result, ({ bytes, durationMs }) => bytes / durationMs),
        cpuOf(result.gatewayCpuMsPer100MB),
        streamRatio(results, result, ({ bytes, cpuMs }) => (Object.values(cpuMs)[0] ?? Number.NaN) / bytes),
        ...(memory === undefined
          ? [absent, absent, absent, absent]
          : [memory.before, memory.firstHalf, memory.secondHalf, memory.after].map(whole)),
      ];
    }),
  });
}

/** A figure of apid relative to that of nghttpx. */
function streamRatio(
  results: readonly StreamResult[],
  { target, reader, isFirst, runs }: StreamResult,
  figureOf: (outcome: StreamOutcome) => number,
): string {
  const peer = results.find(
    (other) => other.target === 'nghttpx' && other.reader === reader && other.isFirst === isFirst,
  );
  if (target !== 'apid' || peer === undefined) return absent;
  const figuresIn = (result: Pick<StreamResult, 'runs'>) =>
    result.runs.map(({ outcome }) => figureOf(outcome));
  return `x ${hundredth(medianRatio(figuresIn({ runs }), figuresIn(peer)))}`;
}

function renderMemory(results: readonly MemoryResult[]): string {
  return renderTable({
    heads: [
      'Memory, MB',
      'idle\nresident',
      '\nfrom to',
      'idle\nits own',
      'highest\nresident',
      'after\nresident',
      '\nfrom to',
      'after\nits own',
      'after over\nidle',
    ],
    rows: results.map(({ process, idle, peak, after }) => [
      process,
      ...[tenth(idle.rss), rangeOf(idle), tenth(idle.uss), tenth(peak)],
      ...[tenth(after.rss), rangeOf(after), tenth(after.uss), `x ${hundredth(after.rss / idle.rss)}`],
    ]),
  });
}

function rangeOf({ lowest, highest }: MemoryLevel): string {
  return `${whole(lowest)} ${whole(highest)}`;
}

function cpuOf(value: number | undefined): string {
  return value === undefined ? absent : tenth(value);
}
