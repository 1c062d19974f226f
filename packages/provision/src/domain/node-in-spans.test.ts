import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeInSpans } from './node-in-spans.ts';

test('nodeInSpans() adds the node to the attributes of the user, whose own host name does not count', () => {
  const of = (attributes?: string) => nodeInSpans('node01', { OTEL_RESOURCE_ATTRIBUTES: attributes });
  assert.deepEqual(of(), { OTEL_RESOURCE_ATTRIBUTES: 'host.name=node01' });
  assert.deepEqual(of(''), of());
  // Of two values of one attribute, the later one counts.
  assert.deepEqual(of('team=a,host.name=laptop'), {
    OTEL_RESOURCE_ATTRIBUTES: 'team=a,host.name=laptop,host.name=node01',
  });
});
