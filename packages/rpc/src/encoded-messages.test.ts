import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodedMessage } from '@nodewright/contract';
import { Data, DataResponse } from '@nodewright/contract/gen/common/common.ts';
import { HealthDefinition } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { withEncodedMessages } from './encoded-messages.ts';

const { responseType } = withEncodedMessages(HealthDefinition).methods.check;
const sent = (message: unknown) =>
  Buffer.from(responseType.encode(responseType.fromPartial(message as never)).finish());

test('a service with encoded messages sends their bytes unchanged, and encodes all other messages', () => {
  const other = DataResponse.encode({ messages: [Data.fromPartial({ bytes: Buffer.from('x') })] }).finish();
  assert.deepEqual(sent(new EncodedMessage(other)), Buffer.from(other));
  const { responseType: original } = HealthDefinition.methods.check;
  assert.deepEqual(sent({ status: 1 }), Buffer.from(original.encode({ status: 1 }).finish()));
});
