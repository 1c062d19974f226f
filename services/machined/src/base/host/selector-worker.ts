// The script of the worker thread that evaluates one selector and exits.
import { parentPort, workerData } from 'node:worker_threads';
import { evaluateSelector } from '@nodewright/machine-config/evaluate-selector';
import type { SelectorRequest } from '@nodewright/machine-config/selectors';
import type { SelectorWorkerMessage } from './worker-selectors.ts';

const post = (message: SelectorWorkerMessage) => parentPort?.postMessage(message);

// What was used until here loaded the evaluator, and is no part of what the expression may use.
post({ kind: 'started', usedMs: usedMs() });
post({ kind: 'answered', selection: evaluateSelector(workerData as SelectorRequest) });

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
