import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasNoKubernetes, whyNoNode } from './why-no-node.ts';

const pod = { name: 'kube-system/kube-apiserver', phase: 'Running', isReady: true, restarts: 0, reason: '' };

test('a node without a kubelet and without static pods has no Kubernetes', () => {
  assert.equal(hasNoKubernetes({ node: null, pods: [] }, ['machined', 'apid']), true);
  // What is not known yet is no proof.
  assert.equal(hasNoKubernetes({ node: null }, []), false);
  assert.equal(hasNoKubernetes({ pods: [] }, []), false);
  assert.equal(hasNoKubernetes({ node: null, pods: [] }, ['kubelet']), false);
  assert.equal(hasNoKubernetes({ node: null, pods: [pod] }, []), false);
});

test('the reason why Kubernetes does not know a node depends on what runs there', () => {
  assert.match(whyNoNode({ node: null, pods: [pod] }, ['kubelet']), /not registered it yet/);
  assert.match(whyNoNode({ node: null, pods: [pod] }, ['apid']), /as processes/);
  assert.equal(whyNoNode({ node: null, pods: [] }, ['apid']), 'no kubelet runs here');
});
