// The script of the worker thread that examines one large machine configuration and exits.
import { parentPort, workerData } from 'node:worker_threads';
import { faultFrom } from '@nodewright/fault';
import { legacyKind, linkDocumentKinds } from '@nodewright/machine-config';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import { type ExamineRequest, examineConfiguration, shortened } from '../domain/examine-configuration.ts';
import type { WorkerAnswer } from './configuration-examiner.ts';

/**
 * Removes from the result what the main thread does not need, because each copy of a large value costs
 * memory. The positions of documents in the text serve only error messages and are as large as the documents.
 * A configuration that is only compared is not activated, so only the values of its network are needed.
 */
function reduced(
  { documents, effective }: DecodedConfiguration,
  { difference }: ExamineRequest,
): DecodedConfiguration {
  const isActivated = difference === undefined;
  const values = documents.map(({ kind, value }) => ({
    ...{ kind, value: isActivated ? value : networkPart(kind, value) },
  }));
  return { text: '', documents: values, ...(effective && { effective }) };
}

const networkKinds: ReadonlySet<string> = new Set([...linkDocumentKinds, 'DHCPv4Config']);

/** What decides about the addresses of the node. */
function networkPart(kind: string, value: YamlMap): YamlMap {
  if (networkKinds.has(kind)) return value;
  const machine = kind === legacyKind ? (value.machine as YamlMap | undefined) : undefined;
  return machine?.network === undefined ? {} : { machine: { network: machine.network } };
}

type YamlMap = DecodedConfiguration['documents'][number]['value'];

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
