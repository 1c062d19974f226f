// The program of the worker that examines a large machine configuration: one request, one answer, and it ends.
import { parentPort, workerData } from 'node:worker_threads';
import { faultFrom } from '@nodewright/fault';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import { type ExamineRequest, examineConfiguration, shortened } from '../domain/examine-configuration.ts';
import type { WorkerAnswer } from './configuration-examiner.ts';

/**
 * Every copy of a large value counts. Where a document stood in its text is only for complaints, and as much again as
 * the document; what is only compared will not come into force.
 */
function withoutWeight(
  { documents, effective }: DecodedConfiguration,
  { difference }: ExamineRequest,
): DecodedConfiguration {
  if (difference !== undefined)
    return { text: '', documents: documents.map(({ kind }) => ({ kind, value: {} })) };
  const values = documents.map(({ kind, value }) => ({ kind, value }));
  return { text: '', documents: values, ...(effective && { effective }) };
}

function answer(request: ExamineRequest): WorkerAnswer {
  try {
    const { configuration, ...judged } = examineConfiguration(request);
    return {
      kind: 'examined',
      examined: { ...judged, configuration: withoutWeight(configuration, request) },
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return { kind: 'failed', fault: { kind, message: shortened(message) } };
  }
}

parentPort?.postMessage(answer(workerData as ExamineRequest));
