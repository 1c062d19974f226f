/** Tests that compare the host before and after, so no other test may change the host meanwhile. */
export const runsAlone = (path: string): boolean => path.endsWith('/host-unchanged.test.ts');
