import type { BenchResults, MemoryResult, StreamResult, UnaryResult } from './bench-results.ts';
import { renderTable } from './render-table.ts';

const whole = (value: number) => value.toFixed(0);
const tenth = (value: number) => value.toFixed(1);
const absent = '-';

/** All results as text for users. */
export function renderResults(results: BenchResults): string {
  const { machine, nghttpx, goProxy } = results;
  const head = [
    `${machine.processors} x ${machine.processor}, Linux ${machine.kernel}, node ${machine.node}`,
    `nghttpx ${nghttpx ?? 'absent'}, Go proxy ${goProxy ?? 'absent'}, commit ${machine.commit ?? 'unknown'}`,
  ].join('\n');
  const parts = [
    results.unary.length > 0 ? renderUnary(results.unary) : '',
    results.fanOut.length > 0 ? renderFanOut(results.fanOut) : '',
    results.stream.length > 0 ? renderStream(results.stream) : '',
    renderMemory(results.memory),
    results.notes.map((note) => `note: ${note}\n`).join(''),
  ];
  return [`${head}\n`, ...parts.filter((part) => part !== '')].join('\n');
}

function renderUnary(results: readonly UnaryResult[]): string {
  return renderTable({
    heads: [
      'Version',
      'streams',
      'requests\n/s',
      'p50\nµs',
      'p99\nµs',
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
        cpuOf(median.cpu.gateways),
        ratioToPeer(results, result, 'nghttpx'),
        ratioToPeer(results, result, 'go-proxy'),
        cpuOf(median.cpu.machined),
        whole(median.loadPercent),
      ];
    }),
  });
}

/** Processor time of apid relative to the same number of another gateway. */
function ratioToPeer(
  results: readonly UnaryResult[],
  { gateway, hops, streams, median }: UnaryResult,
  than: UnaryResult['gateway'],
): string {
  const peer = results.find(
    (other) => other.gateway === than && other.hops === hops && other.streams === streams,
  );
  const [own, theirs] = [median.cpu.gateways, peer?.median.cpu.gateways];
  return gateway !== 'apid' || own === undefined || theirs === undefined
    ? absent
    : `x ${tenth(own / theirs)}`;
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
      'gateway\nCPU ms/100 MB',
      'resident MB\nbefore',
      'highest in\n1st half',
      'highest in\n2nd half',
      'after',
    ],
    rows: results.map((result) => {
      const { memory } = result;
      return [
        result.target,
        result.reader,
        whole(result.megabytes),
        whole(result.megabytesPerSecond),
        cpuOf(result.gatewayCpuMsPer100MB),
        ...(memory === undefined
          ? [absent, absent, absent, absent]
          : [memory.before, memory.firstHalf, memory.secondHalf, memory.after].map(whole)),
      ];
    }),
  });
}

function renderMemory(results: readonly MemoryResult[]): string {
  return renderTable({
    heads: [
      'Memory, MB',
      'idle\nresident',
      'idle\nits own',
      'highest\nresident',
      'after\nresident',
      'after\nits own',
    ],
    rows: results.map(({ process, idle, peak, after }) => [
      process,
      ...[idle.rss, idle.uss, peak, after.rss, after.uss].map(tenth),
    ]),
  });
}

function cpuOf(value: number | undefined): string {
  return value === undefined ? absent : tenth(value);
}
