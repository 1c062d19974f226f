/** Tests that compare the host before and after, so no other test may change the host meanwhile. */
export const runsAlone = (path: string): boolean => path.endsWith('/host-unchanged.test.ts');

/**
 * The stack of compose.yaml: two dozen containers, each of which starts Node.js every 15 s to see whether its daemon is healthy. The kernel
 * gives all containers together no more processor time than one other process, so beside other tests they count as unhealthy.
 */
export const runsAtTheEnd = (path: string): boolean => path.endsWith('/compose/stack.test.ts');
