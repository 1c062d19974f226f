import type { DeepPartial } from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import {
  type Compare,
  Compare_CompareResult,
  Compare_CompareTarget,
  type RequestOp,
  type ResponseOp,
} from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import type { KeyValue } from '@nodewright/contract/gen/mvccpb/kv.ts';
import { prefixRange } from './key-range.ts';
import type { EtcdKeyValue, KeyComparison, KeyOperation, OperationResult } from './key-value.ts';

export function keyValueFrom(message: KeyValue): EtcdKeyValue {
  const { key, value, createRevision, modRevision, version, lease } = message;
  return { key: key.toString(), value, createRevision, modRevision, version, lease };
}

const results = {
  '=': Compare_CompareResult.EQUAL,
  '!=': Compare_CompareResult.NOT_EQUAL,
  '<': Compare_CompareResult.LESS,
  '>': Compare_CompareResult.GREATER,
} as const;

export function messageFromComparison(comparison: KeyComparison): DeepPartial<Compare> {
  return { key: Buffer.from(comparison.key), result: results[comparison.is ?? '='], ...targetOf(comparison) };
}

function targetOf(comparison: KeyComparison): Pick<Compare, 'target' | 'targetUnion'> {
  if ('createRevision' in comparison) {
    const targetUnion = { $case: 'createRevision', value: comparison.createRevision } as const;
    return { target: Compare_CompareTarget.CREATE, targetUnion };
  }
  if ('modRevision' in comparison) {
    const targetUnion = { $case: 'modRevision', value: comparison.modRevision } as const;
    return { target: Compare_CompareTarget.MOD, targetUnion };
  }
  if ('version' in comparison) {
    const targetUnion = { $case: 'version', value: comparison.version } as const;
    return { target: Compare_CompareTarget.VERSION, targetUnion };
  }
  if ('lease' in comparison) {
    const targetUnion = { $case: 'lease', value: comparison.lease } as const;
    return { target: Compare_CompareTarget.LEASE, targetUnion };
  }
  const targetUnion = { $case: 'value', value: Buffer.from(comparison.value) } as const;
  return { target: Compare_CompareTarget.VALUE, targetUnion };
}

export function messageFromOperation(operation: KeyOperation): DeepPartial<RequestOp> {
  switch (operation.kind) {
    case 'get':
      return { request: { $case: 'requestRange', value: { key: Buffer.from(operation.key) } } };
    case 'list':
      return { request: { $case: 'requestRange', value: prefixRange(operation.prefix) } };
    case 'put': {
      const { key, value, lease = 0n } = operation;
      return {
        request: { $case: 'requestPut', value: { key: Buffer.from(key), value: Buffer.from(value), lease } },
      };
    }
    case 'delete':
      return { request: { $case: 'requestDeleteRange', value: { key: Buffer.from(operation.key) } } };
    case 'delete-prefix':
      return { request: { $case: 'requestDeleteRange', value: prefixRange(operation.prefix) } };
  }
}

export function resultFrom({ response }: ResponseOp): OperationResult {
  if (response?.$case === 'responseRange')
    return { keyValues: response.value.kvs.map(keyValueFrom), deleted: 0n };
  if (response?.$case === 'responseDeleteRange') return { keyValues: [], deleted: response.value.deleted };
  return { keyValues: [], deleted: 0n };
}
