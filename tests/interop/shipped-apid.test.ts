// The methods of the test gateway do not exist on a node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataKeys, methodRule, ports, roles } from '@nodewright/contract';
import { startLoneNode } from '@nodewright/testkit';
import { credentialsOf } from '../contract/apid/harness/authority.ts';
import { Client } from '../contract/apid/harness/client.ts';
import { testingMethods } from './gateway/testing-methods.ts';

const unimplemented = 12;
const invalidArgument = 3;

test('the shipped apid and its node refuse every method of grpc.testing, for every role', async () => {
  await using node = await startLoneNode();
  for (const role of [roles.admin, roles.operator, roles.reader]) {
    const credentials = credentialsOf(await node.issueClient(role));
    const tls = { host: node.address, port: ports.apid, ca: node.ca.certificate, ...credentials };
    await using client = await Client.connect(tls);
    for (const method of testingMethods) {
      assert.equal(methodRule(method), undefined);
      const call = async (...metadata: [string, string][]) => (await client.call(method, { metadata })).code;
      assert.deepEqual(
        [
          await call(),
          await call([metadataKeys.node, node.address]),
          await call([metadataKeys.nodes, node.address]),
        ],
        [unimplemented, unimplemented, invalidArgument],
        method,
      );
    }
  }
});
