// The program of the worker that examines a large machine configuration: one request, one answer, and it ends.
import { parentPort, workerData } from 'node:worker_threads';
import { faultFrom } from '@nodewright/fault';
import { type ExamineRequest, examineConfiguration, shortened } from '../domain/examine-configuration.ts';
import type { WorkerAnswer } from './configuration-examiner.ts';

function answer(request: ExamineRequest): WorkerAnswer {
  try {
    const { configuration, ...judged } = examineConfiguration(request);
    // Where a document stood in its text is only for complaints, and as much again as the document.
    const documents = configuration.documents.map(({ kind, value }) => ({ kind, value }));
    return {
      kind: 'examined',
      examined: { ...judged, configuration: { ...configuration, text: '', documents } },
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return { kind: 'failed', fault: { kind, message: shortened(message) } };
  }
}

parentPort?.postMessage(answer(workerData as ExamineRequest));
