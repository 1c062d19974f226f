import { openMemoryCluster, openTestCluster } from '../testing/test-cluster.ts';
import { testLifecycle } from '../testing/test-lifecycle.ts';

testLifecycle('process', () => openTestCluster({ child: true }));
testLifecycle('memory', openMemoryCluster);
