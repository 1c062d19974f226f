// The script of the worker thread that examines one large machine configuration and exits.
import { parentPort, workerData } from 'node:worker_threads';
import { faultFrom } from '@nodewright/fault';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import { type ExamineRequest, examineConfiguration, shortened } from '../domain/examine-configuration.ts';
import type { WorkerAnswer } from './configuration-examiner.ts';

/**
 * Removes from the result what the main thread does not need, because each copy of a large value costs
 * memory. The positions of documents in the text serve only error messages and are as large as the documents.
 * A configuration that is only compared is not activated, so its documents need no values.
 */
function reduced(
  { documents, effective }: DecodedConfiguration,
  { difference }: ExamineRequest,
): DecodedConfiguration {
  const isActivated = difference === undefined;
  const values = documents.map(({ kind, value }) => ({ kind, value: isActivated ? value : {} }));
  return { text: '', documents: values, ...(effective && { effective }) };
}

function answer(request: ExamineRequest): WorkerAnswer {
  try {
    const { configuration, ...judged } = examineConfiguration(request);
    return {
      kind: 'examined',
      examined: { ...judged, configuration: reduced(configuration, request) },
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return { kind: 'failed', fault: { kind, message: shortened(message) } };
  }
}

parentPort?.postMessage(answer(workerData as ExamineRequest));
